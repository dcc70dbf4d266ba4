import { inAnswer, inAnswerWhere } from '../../../judge/edit/breaks.ts';
import { put } from '../../../judge/edit/values.ts';
import { get } from '../../../judge/json.ts';
import type { Behaviour, Break, Selector } from '../../../judge/requirement.ts';
import { only } from '../../../judge/selectors/answers.ts';
import { requirement } from '../../../judge/write.ts';
import { operation as operationOf } from '../../../schemas/index.ts';
import { another } from './compare.ts';
import { echoes } from './echoes.ts';
import { gone } from './gone.ts';
import { identities } from './identity.ts';
import { article, lastingFields, type Resource } from './resource.ts';
import { type How, type Show, shows } from './shows.ts';

/**
 * How the operations of one kind of object relate: what was created is what is retrieved and listed, a modification
 * changes what it names and nothing else, what was deleted is gone. A family's `*.requirements.ts` exports
 * `relations({…})`, and its suite a scenario that goes through an object's life.
 */
export function relations(resource: Resource) {
  const shown = shows(resource);
  const { create, list, modify } = resource;
  return [
    ...(create === undefined ? [] : echoes(resource, create, 'create')),
    ...(modify === undefined ? [] : echoes(resource, modify, 'modify')),
    ...identities(resource),
    ...again(resource, shown),
    ...(modify === undefined ? [] : [keepsTheRest(resource, shown, modify)]),
    ...(list === undefined ? [] : [asListed(resource, shown, list)]),
    ...gone(resource),
  ];
}

/** What is retrieved after a creation, a modification or, of what never changes, a list. */
function again(resource: Resource, shown: Selector<Show>): Behaviour<Show>[] {
  const { create, modify, isFixed, noun } = resource;
  return [
    ...(create === undefined ? [] : [retrieved(resource, shown, 'created', `as its creation was answered`)]),
    ...(modify === undefined
      ? []
      : [retrieved(resource, shown, 'modified', `as its modification was answered`)]),
    ...(isFixed && create === undefined ? [retrieved(resource, shown, 'listed', `as it is listed`)] : []),
  ].map((literal) => requirement({ ...literal, says: `${article(noun)} is retrieved ${literal.says}.` }));
}

function retrieved(resource: Resource, shown: Selector<Show>, since: How, says: string): Behaviour<Show> {
  const { area, retrieve } = resource;
  return {
    id: `${area}.retrieve.as-${since}`,
    level: 'MUST',
    basis: 'implied',
    spec: operationOf(retrieve).spec,
    says,
    on: only(shown, (show) => show.how === 'retrieved' && show.since === since),
    check: ({ differences }) => differences,
    breaks: changes(resource, retrieve, ''),
  };
}

function keepsTheRest(resource: Resource, shown: Selector<Show>, modify: string) {
  const { area } = resource;
  const free = lastingFields(resource).filter((field) => !['id', 'object'].includes(field));
  return requirement({
    id: `${area}.modify.keeps-the-rest`,
    level: 'MUST',
    basis: 'implied',
    spec: operationOf(modify).spec,
    says: 'A modification changes what it names and nothing else.',
    on: only(shown, ({ how }) => how === 'modified'),
    check: ({ differences }) => differences,
    breaks: Object.fromEntries(free.map((field) => [`another ${field}`, unnamed(modify, field)])),
  });
}

function asListed(resource: Resource, shown: Selector<Show>, list: string) {
  const { area, noun, create, isFixed } = resource;
  const since = create === undefined && isFixed ? 'retrieved' : 'made';
  return requirement({
    id: `${area}.list.as-${since}`,
    level: 'MUST',
    basis: 'implied',
    spec: operationOf(list).spec,
    says: `A list shows ${article(noun).toLowerCase()} as it was ${since === 'made' ? 'made or modified' : since}.`,
    on: only(
      shown,
      (show) => show.how === 'listed' && (show.since === 'retrieved') === (since === 'retrieved'),
    ),
    check: ({ differences }) => differences,
    breaks: changes(resource, list, '/data/*'),
  });
}

/** Changes each lasting field in every answer of an operation. */
function changes(resource: Resource, operation: string, at: string): Record<string, Break> {
  const fields = lastingFields(resource).filter((field) => field !== 'id');
  return Object.fromEntries(
    fields.map((field) => [`another ${field}`, inAnswer(operation, put(`${at}/${field}`, another))]),
  );
}

/** Changes a field in the answers to modifications that do not name it. */
function unnamed(modify: string, field: string): Break {
  return inAnswerWhere(
    modify,
    ({ request }) => get(request.body.json?.value, field) === undefined,
    put(`/${field}`, another),
  );
}
