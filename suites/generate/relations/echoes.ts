import type { Json } from '../../../exchange/body.ts';
import { inAnswer, inAnswerWhere } from '../../../judge/edit/breaks.ts';
import { put, remove } from '../../../judge/edit/values.ts';
import { get } from '../../../judge/json.ts';
import { violationsOf } from '../../../judge/probe/unlabelled.ts';
import { same } from '../../../judge/schema/kinds.ts';
import { answers, only } from '../../../judge/selectors/answers.ts';
import { requirement } from '../../../judge/write.ts';
import { operation as operationOf } from '../../../schemas/index.ts';
import { namesModel } from '../../runs/echo.ts';
import { another, augmented, brief, carries, isEmpty, lessened } from './compare.ts';
import { type Echoed, echoedFields, type Resource } from './resource.ts';

/** That an answer carries what was asked for, and the stated default of what was not: a requirement for each field. */
export function echoes(resource: Resource, operation: string, verb: 'create' | 'modify') {
  const fields = echoedFields(resource, operation, verb);
  return [
    ...fields.map((field) => kept(resource, operation, verb, field)),
    ...(verb === 'create'
      ? fields.filter(hasDefault).map((member) => byDefault(resource, operation, member))
      : []),
  ];
}

function kept(resource: Resource, operation: string, verb: 'create' | 'modify', echoed: Echoed) {
  const { area, noun } = resource;
  const { name: field, isOptional } = echoed;
  return requirement({
    id: `${area}.${verb}.keeps-${field.replaceAll('_', '-')}`,
    level: 'MUST',
    basis: 'implied',
    spec: operationOf(operation).spec,
    says: `The \`${field}\` that ${verb === 'create' ? `a new ${noun}` : 'a modification'} is given is answered.`,
    on: only(answersOf(resource, operation), ({ asked, answer }) => {
      // What null gives is said by its schema.
      return (get(asked, field) ?? null) !== null && (!isOptional || get(answer, field) !== undefined);
    }),
    check: ({ asked, answer, call }) => {
      const [wanted, actual] = [get(asked, field), get(answer, field)];
      // Whether a modification takes away pairs that it does not name is left open.
      const isExact = field === 'metadata' && verb === 'create';
      // No pairs at all may read as null; where that has no place the schema says so.
      const isNone = actual === null && wanted !== undefined && isEmpty(wanted);
      // A model may be told by a fuller name.
      if (field === 'model' && namesModel(wanted, actual)) return [];
      if (isExact ? same(wanted, actual) || isNone : carries(wanted, actual)) return [];
      // What becomes of a value that should have been refused is not said.
      if (violationsOf(call).some(({ at }) => at.split('/')[1] === field)) return [];
      return [{ at: `/${field}`, expected: `${brief(wanted ?? null)}, as asked for`, actual }];
    },
    breaks: {
      'another one': inAnswerWhere(
        operation,
        ({ request }) => (get(request.body.json?.value, field) ?? null) !== null,
        put(`/${field}`, another),
      ),
      'cut short': inAnswerWhere(
        operation,
        ({ request }) => (get(request.body.json?.value, field) ?? null) !== null,
        put(`/${field}`, lessened),
      ),
      ...(isOptional ? {} : { 'left out': inAnswer(operation, remove(`/${field}`)) }),
    },
  });
}

function byDefault(resource: Resource, operation: string, { name: field, node }: Echoed) {
  const { area, spec, noun } = resource;
  // as: defaults are written in our schemas as JSON
  const wanted = node.notes['default'] as Json;
  return requirement({
    id: `${area}.create.default-${field.replaceAll('_', '-')}`,
    level: 'MUST',
    basis: 'stated',
    spec,
    says: `The \`${field}\` of a new ${noun} is ${JSON.stringify(wanted)} unless it is given.`,
    on: only(answersOf(resource, operation), ({ asked, answer }) => {
      // Where null is allowed, it may stand for the default; where it is not, the schema says so.
      return get(asked, field) === undefined && (get(answer, field) ?? null) !== null;
    }),
    check: ({ answer }) => {
      const actual = get(answer, field);
      return same(actual, wanted) ? [] : [{ at: `/${field}`, expected: JSON.stringify(wanted), actual }];
    },
    breaks: {
      'another one': inAnswerWhere(
        operation,
        ({ request }) => get(request.body.json?.value, field) === undefined,
        put(`/${field}`, another),
      ),
      'one more': inAnswerWhere(
        operation,
        ({ request }) => get(request.body.json?.value, field) === undefined,
        put(`/${field}`, augmented),
      ),
    },
  });
}

function answersOf({ variant }: Resource, operation: string) {
  return answers(operation, variant === undefined ? {} : { variant });
}

/** A default of null says no more than that the field may be left out. */
function hasDefault({ node }: Echoed): boolean {
  return (node.notes['default'] ?? null) !== null;
}
