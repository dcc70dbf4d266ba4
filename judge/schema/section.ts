import { type Operation, operations } from '../../schemas/index.ts';
import type { Rule, Section } from '../catalogue.ts';
import { familiesOf } from '../operations.ts';
import { kindsOfConstraint, kindsOfEnvelope } from '../proof/kinds.ts';
import { schemaMutants } from '../proof/schema-mutants.ts';
import { constraintsOf, idOf } from './constraints.ts';
import { AnswerExaminer } from './examiner.ts';
import { answerInspector, type Carried, carriedConstraints, carriedSchemas } from './library.ts';
import { sentence } from './sentence.ts';

/** The requirements that the response schemas state, and those of every answer: its media type, and that it can be read. */
export function schemaSection(): Section {
  const schemas = carriedSchemas();
  return {
    rules: [...schemas.flatMap(rulesOf), ...operations().flatMap(({ id }) => envelopeRules(id))],
    open: (bench, only) => new AnswerExaminer(bench, only),
    prepare: () => answerInspector().prepare(),
    kinds: (id) => {
      const constraint = carriedConstraints().get(id);
      return constraint === undefined ? kindsOfEnvelope(id) : kindsOfConstraint(constraint);
    },
    mutants: schemaMutants,
  };
}

function rulesOf({ name, tree, operations: carriers, families }: Carried): Rule[] {
  return [...constraintsOf(tree)].map((constraint) => ({
    id: idOf(name, constraint.path, constraint.keyword),
    kind: 'schema',
    families,
    operations: carriers,
    level: constraint.level,
    basis: constraint.basis,
    spec: constraint.spec,
    says: sentence(name, constraint),
  }));
}

function envelopeRules(id: string): Rule[] {
  const operation = operations().find((one) => one.id === id);
  if (operation === undefined) return [];
  const answers = operation.variants.flatMap((variant) => variant.answers);
  const common = {
    kind: 'schema',
    families: familiesOf(operation),
    operations: [id],
    level: 'MUST',
    basis: 'implied',
    spec: operation.spec,
  } as const;
  const json: Rule[] = [
    {
      ...common,
      id: `${id}:answer#contentType`,
      level: 'SHOULD',
      says: `${id}: a JSON answer is labelled application/json.`,
    },
    { ...common, id: `${id}:answer#json`, says: `${id}: the answer can be read as JSON.` },
  ];
  const stream: Rule[] = [
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

/** The media type is stated for the streams of part 1 alone. */
function labelling({ spec }: Operation): Partial<Rule> {
  return spec.startsWith('1 ') ? { basis: 'stated', spec: '1 Events' } : {};
}
