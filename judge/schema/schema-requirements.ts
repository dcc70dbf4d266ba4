import { type Operation, operations } from '../../schemas/index.ts';
import type { Requirement, RequirementSet } from '../requirements/catalogue.ts';
import { familiesOf } from '../requirements/claimed.ts';
import { type CarriedSchema, carriedSchemas, responseInspector } from './carried-schemas.ts';
import { constraintId, constraintsOf } from './constraints.ts';
import { ResponseEvaluator } from './response-evaluator.ts';
import { constraintSentence } from './sentence.ts';

/** One requirement for each constraint of a schema, and two for each response: media type, valid JSON. */
export function schemaRequirements(): RequirementSet {
  const schemas = carriedSchemas();
  return {
    origin: 'schema',
    requirements: [...schemas.flatMap(rulesOf), ...operations().flatMap(envelopeRules)],
    open: (sink, only) => new ResponseEvaluator(sink, only),
    prepare: () => responseInspector().prepare(),
  };
}

function rulesOf({ name, tree, operations: carriers, families }: CarriedSchema): Requirement[] {
  return [...constraintsOf(tree)].map((constraint) => ({
    id: constraintId(name, constraint.path, constraint.keyword),
    kind: 'schema',
    families,
    operations: carriers,
    level: constraint.level,
    basis: constraint.basis,
    spec: constraint.spec,
    says: constraintSentence(name, constraint),
  }));
}

function envelopeRules(operation: Operation): Requirement[] {
  const { id } = operation;
  const answers = operation.variants.flatMap((variant) => variant.answers);
  const common = {
    kind: 'schema',
    families: familiesOf(operation),
    operations: [id],
    level: 'MUST',
    basis: 'implied',
    spec: operation.spec,
  } as const;
  const json: Requirement[] = [
    {
      // The specification states no media type for JSON, so a wrong one only breaks a SHOULD.
      ...common,
      id: `${id}:answer#contentType`,
      level: 'SHOULD',
      says: `${id}: a JSON answer is labelled application/json.`,
    },
    { ...common, id: `${id}:answer#json`, says: `${id}: the answer can be read as JSON.` },
  ];
  const stream: Requirement[] = [
    {
      ...common,
      id: `${id}:stream#contentType`,
      ...labelling(operation),
      says: `${id}: a stream is labelled text/event-stream.`,
    },
    { ...common, id: `${id}:stream#json`, says: `${id}: the data of each known event are JSON.` },
  ];
  return [
    ...(answers.some((answer) => answer.schema !== null) ? json : []),
    ...(answers.some((answer) => answer.events !== null) ? stream : []),
  ];
}

function labelling({ spec }: Operation): Partial<Requirement> {
  return spec.startsWith('1 ') ? { basis: 'stated', spec: '1 Events' } : {};
}
