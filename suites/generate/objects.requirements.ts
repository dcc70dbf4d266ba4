import { operation as operationOf, pathParameters } from '../../schemas/index.ts';
import type { CodeOf } from '../rows/rows.ts';
import { anotherValue, inResponseWhere, setIn, setValue } from '../vocabulary/changes.ts';
import { listElements, textAt } from '../vocabulary/json.ts';
import { idReuses, successions } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Evidence, Mutation } from '../vocabulary/types.ts';
import { answersOf, fieldRelations, sentField } from './field-relations.ts';
import { emptyingChanges, keptContent } from './kept-content.ts';
import { lastingFields, restoredIds, restoringOperations } from './objects.ts';
import { objectObservations } from './observations.ts';
import { pagesAfterDeletion } from './pages-after-deletion.ts';
import { type Resource, resources } from './resources.ts';
import { requirementsFrom, type TemplateParameters, withAnyEvidence } from './templates.ts';

/**
 * The relations between the operations of each kind of object: created objects are retrieved and listed unchanged, a
 * modification changes only the fields that it names, and deleted objects are gone.
 */
export const relationRequirements = resources().flatMap((resource) => {
  const parameters = parametersOf(resource);
  return [
    ...requirementsFrom('objects.json', parameters, (rule) => relationCode(resource, rule)),
    ...fieldRelations(resource).flatMap((field) =>
      requirementsFrom('fields.json', { ...parameters, ...field.parameters }, field.codeOf),
    ),
  ];
});

function parametersOf(resource: Resource): TemplateParameters {
  const { noun, create, retrieve, list, modify, cancel, remove = retrieve } = resource;
  const article = /^[aeiou]/.test(noun) ? 'an' : 'a';
  const owners =
    create === undefined ? [] : pathParameters(operationOf(create)).map((name) => name.replace(/_id$/, ''));
  const specOf = (id = retrieve): string => operationOf(id).spec;
  return {
    ...resource,
    aNoun: `${article} ${noun}`,
    ANoun: `${article === 'an' ? 'An' : 'A'} ${noun}`,
    ofOwners: owners.length === 0 ? '' : ` of a ${owners.join(' and ').replaceAll('_', ' ')}`,
    idName: pathParameters(operationOf(retrieve)).at(-1),
    removedName: pathParameters(operationOf(remove)).at(-1),
    isCreatedOrModified: create !== undefined || resource.isFixed !== true,
    retrieveSpec: specOf(retrieve),
    listSpec: specOf(list),
    modifySpec: specOf(modify),
    cancelSpec: specOf(cancel),
    removeSpec: specOf(remove),
  };
}

function relationCode(resource: Resource, rule: string): CodeOf<Evidence> {
  const { create = '', retrieve, list, modify = '', cancel = '', remove = '', variant, keeps } = resource;
  switch (rule) {
    case 'retrieve.tells-id':
      return withAnyEvidence({ evidence: answersOf(resource, retrieve) });
    case 'delete.tells-id':
      return withAnyEvidence({ evidence: answersOf(resource, remove) });
    case 'create.id-unique':
      return withAnyEvidence({ evidence: { ...idReuses(create), variant: variant ?? null } });
    case 'delete.gone-from-retrieve':
    case 'delete.gone-from-modify':
      return withAnyEvidence({
        evidence: successions({
          first: remove,
          later: rule === 'delete.gone-from-modify' ? modify : retrieve,
          until: restoringOperations(resource),
          about: ({ path }) => JSON.stringify(Object.values(path)),
          ending: (call) => restoredIds(call).map((id) => JSON.stringify([...Object.values(call.path), id])),
          ...(variant !== undefined && { variant }),
        }),
      });
    case 'delete.gone-from-list':
      return withAnyEvidence({
        evidence: pagesAfterDeletion(resource, remove, list ?? ''),
        check: ({ deleted, call }) =>
          listElements(call.responseJson).flatMap(({ at, value }) => {
            const id = textAt(value, 'id') ?? '';
            const by = deleted.get(id);
            return by === undefined ? [] : [violation(at, `no ${id}, deleted by ${by}`, id)];
          }),
      });
    case 'shown.keeps-content':
      return keeps === undefined
        ? {}
        : withAnyEvidence({
            evidence: keptContent(resource, keeps),
            check: ({ losses }) => losses,
            broken_by: emptyingChanges(resource, keeps),
          });
    default:
      return withAnyEvidence({
        evidence: objectObservations(resource),
        check: ({ differences }) => differences,
        broken_by: mutationsPerField(resource, rule, { retrieve, list, modify, cancel }),
      });
  }
}

function mutationsPerField(
  resource: Resource,
  rule: string,
  operations: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, Mutation>> {
  const [verb = ''] = rule.split('.');
  const operation = operations[verb] ?? '';
  const editOf = (field: string): Mutation =>
    verb === 'modify'
      ? inResponseWhere(
          operation,
          (one) => sentField(one, field) === undefined,
          setValue(`/${field}`, anotherValue),
        )
      : setIn(operation, `${verb === 'list' ? '/data/*' : ''}/${field}`, anotherValue);
  const fields = lastingFields(resource).filter(
    (field) => field !== 'id' && (verb !== 'modify' || field !== 'object'),
  );
  return Object.fromEntries(fields.map((field) => [`another ${field}`, editOf(field)]));
}
