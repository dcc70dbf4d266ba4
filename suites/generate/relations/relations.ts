// All requirements that relate the operations of one kind of object, generated from its description as a
// resource.

import { operation as operationOf } from '../../../schemas/index.ts';
import { inResponseWhere, requestLeavesOut, setIn, setValue } from '../../vocabulary/changes.ts';
import { that, where } from '../../vocabulary/selectors.ts';
import { requirement, section } from '../../vocabulary/statements.ts';
import type { BehaviourRequirement, Mutation, Selector } from '../../vocabulary/types.ts';
import { anotherValue } from './compare.ts';
import { deletionRequirements } from './deletion.ts';
import { echoRequirements } from './echo.ts';
import { identityRequirements } from './identity.ts';
import { keptContentRequirements } from './looks/kept-content.ts';
import { type ObjectObservation, type ObservationKind, objectObservations } from './looks/observations.ts';
import { lastingFields, type Resource, withArticle } from './resource.ts';

/**
 * How the operations of one kind of object relate: what was created is what is retrieved and listed, a modification
 * changes what it names and nothing else, what was deleted is gone. A family's `*.requirements.ts` exports
 * `relations({…})`, and its suite a scenario that goes through an object's life.
 */
export function relationRequirements(resource: Resource) {
  const shown = objectObservations(resource);
  const { create, list, modify, cancel } = resource;
  return [
    ...(create === undefined ? [] : echoRequirements(resource, create, 'create')),
    ...(modify === undefined ? [] : echoRequirements(resource, modify, 'modify')),
    ...identityRequirements(resource),
    ...again(resource, shown),
    ...(modify === undefined ? [] : [keepsTheRest(resource, shown, modify)]),
    ...(list === undefined ? [] : [asListed(resource, shown, list)]),
    ...(cancel === undefined ? [] : [asCancelled(resource, shown, cancel)]),
    ...keptContentRequirements(resource),
    ...deletionRequirements(resource),
  ];
}

/** An object retrieved after a creation, a modification or, if it never changes, a list. */
function again(
  resource: Resource,
  shown: Selector<ObjectObservation>,
): BehaviourRequirement<ObjectObservation>[] {
  const { create, modify, isFixed, noun } = resource;
  return [
    ...(create === undefined
      ? []
      : [retrieved(resource, shown, 'created', 'the one in the response to its creation')]),
    ...(modify === undefined
      ? []
      : [retrieved(resource, shown, 'modified', 'the one in the response to its modification')]),
    ...(isFixed && create === undefined ? [retrieved(resource, shown, 'listed', 'the one in the list')] : []),
  ].map((literal) => requirement({ ...literal, says: `A retrieved ${noun} equals ${literal.says}.` }));
}

/** A retrieved object equals the response of its creation or modification. */
function retrieved(
  resource: Resource,
  shown: Selector<ObjectObservation>,
  since: ObservationKind,
  says: string,
): BehaviourRequirement<ObjectObservation> {
  const { area, retrieve } = resource;
  return {
    id: `${area}.retrieve.as-${since}`,
    level: 'MUST',
    basis: 'implied',
    spec: operationOf(retrieve).spec,
    says,
    selector: where(
      shown,
      that(
        `the later a retrieval after it was ${since}`,
        (observation) => observation.how === 'retrieved' && observation.since === since,
      ),
    ),
    check: ({ differences }) => differences,
    mutations: changes(resource, retrieve, ''),
  };
}

/** A modification leaves the fields unchanged that it does not name. */
function keepsTheRest(resource: Resource, shown: Selector<ObjectObservation>, modify: string) {
  const { area } = resource;
  const free = lastingFields(resource).filter((field) => !['id', 'object'].includes(field));
  return section(operationOf(modify).spec).implied(`${area}.modify.keeps-the-rest`, {
    says: 'A modification changes only the fields that its request names.',
    selector: where(
      shown,
      that('the later its modification', ({ how }) => how === 'modified'),
    ),
    check: ({ differences }) => differences,
    mutations: Object.fromEntries(free.map((field) => [`another ${field}`, unnamed(modify, field)])),
  });
}

/** A listed object equals the object as it was reported before. */
function asListed(resource: Resource, shown: Selector<ObjectObservation>, list: string) {
  const { area, noun, create, isFixed } = resource;
  const since = create === undefined && isFixed ? 'retrieved' : 'made';
  return section(operationOf(list).spec).implied(`${area}.list.as-${since}`, {
    says: `In a list, ${withArticle(noun).toLowerCase()} equals ${since === 'made' ? 'the one in the response to its creation or modification' : 'the retrieved one'}.`,
    selector: where(
      shown,
      that(
        'the later a list',
        (observation) =>
          observation.how === 'listed' && (observation.since === 'retrieved') === (since === 'retrieved'),
      ),
    ),
    check: ({ differences }) => differences,
    mutations: changes(resource, list, '/data/*'),
  });
}

/** The response to a cancellation shows the object that was created. */
function asCancelled(resource: Resource, shown: Selector<ObjectObservation>, cancel: string) {
  const { area, noun } = resource;
  return section(operationOf(cancel).spec).implied(`${area}.cancel.as-created`, {
    says: `In the response to its cancellation, ${withArticle(noun).toLowerCase()} equals the one that was created.`,
    selector: where(
      shown,
      that('the later its cancellation', ({ how }) => how === 'cancelled'),
    ),
    check: ({ differences }) => differences,
    mutations: changes(resource, cancel, ''),
  });
}

/** Changes each lasting field in every answer of an operation. */
function changes(resource: Resource, operation: string, at: string): Record<string, Mutation> {
  const fields = lastingFields(resource).filter((field) => field !== 'id');
  return Object.fromEntries(
    fields.map((field) => [`another ${field}`, setIn(operation, `${at}/${field}`, anotherValue)]),
  );
}

/** Changes a field in the answers to modifications that do not name it. */
function unnamed(modify: string, field: string): Mutation {
  return inResponseWhere(modify, requestLeavesOut(field), setValue(`/${field}`, anotherValue));
}
