import type { HttpResponse } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { decodedContent, mediaTypeOf } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { isTooDeep, MAX_LEVELS } from '../../exchange/http/json-text.ts';
import { countedFamilies, type Operation, operations, type ResponseShape } from '../../schemas/index.ts';
import type { Requirement, RequirementSet } from '../requirements/catalogue.ts';
import type { Evaluator, ResultSink } from '../requirements/evaluator.ts';
import type { Violation } from '../requirements/requirement.ts';
import type { Call } from '../trace/call.ts';
import { isErrorEvent } from '../trace/response-class.ts';
import { numberOf } from '../trace/timed.ts';
import { quoteBeginning } from '../verdict/findings.ts';
import { constraintId, constraintsOf } from './constraints.ts';
import {
  isTextEvent,
  type ResponseSchema,
  responseConstraints,
  responseInspector,
  responseSchemas,
} from './response-schemas.ts';
import { eventSchemaOf, expectedShape } from './response-shape.ts';
import { constraintPhrase, constraintSentence } from './sentence.ts';

const BETA_FIELDS =
  /^thread(?:\.run(?:\.step)?)?:\w+#expected$|^thread\.run:(?:tool_resources|truncation_strategy|response_format|tool_choice)#required$/;

class ResponseEvaluator implements Evaluator {
  readonly #sink: ResultSink;
  readonly #inspector = responseInspector();
  /** Visits become observations only at the end, because a node is visited thousands of times. */
  readonly #visits = this.#inspector.createVisitCounts();
  /** Visits in responses of the legacy form, which need not have every field. */
  readonly #legacyVisits = this.#inspector.createVisitCounts();
  readonly #constraints = responseConstraints();
  readonly #reported: ReturnType<typeof responseConstraints>;
  /** Schemas whose check threw; their values are no longer checked. */
  readonly #broken = new Set<string>();

  constructor(sink: ResultSink, only?: string) {
    this.#sink = sink;
    const constraint = only === undefined ? undefined : this.#constraints.get(only);
    this.#reported = only === undefined ? this.#constraints : new Map(constraint && [[only, constraint]]);
  }

  call(call: Call): void {
    const { response } = call.exchange;
    const shape = call.responseClass === 'accepted' && response !== null ? expectedShape(call) : null;
    if (shape === null || response === null) return;
    if (shape.events !== null) this.#judgeStream(call, response, shape.events);
    else if (shape.schema !== null) this.#judgeJson(call, response, shape.schema);
  }

  finish(): void {
    for (const [id, { node, kinds }] of this.#reported) {
      const number = this.#inspector.numberOf(node);
      const legacyTimes = isBetaOnly(id) ? 0 : this.#legacyVisits.count(number, kinds);
      const times = this.#visits.count(number, kinds) + legacyTimes;
      const counts = legacyTimes > 0 ? [this.#visits, this.#legacyVisits] : [this.#visits];
      const first = Math.min(...counts.map((visits) => visits.first(number, kinds)));
      if (times > 0) this.#sink.observe(id, times, [{ id: `e${first}` }]);
    }
  }

  #judgeJson(call: Call, response: HttpResponse, schema: string): void {
    const { id } = call.operation;
    const mediaType = mediaTypeOf(response.headers)?.essence;
    // RFC 6839: the suffix +json marks media types whose content is JSON.
    const isJson = mediaType === 'application/json' || mediaType?.endsWith('+json') === true;
    this.#observe(`${id}:answer#contentType`, call, !isJson && wrongMediaType(mediaType, 'application/json'));
    const body = decodedContent(response);
    // A body that is truncated, was not kept, or has an unknown content coding is not evidence.
    if (!call.complete || body === null || (!body.isKept && body.size > 0)) return;
    const text = () => (body.text === null ? `${body.size} bytes that are not UTF-8` : describe(body.text));
    const isReadable = body.json !== null;
    this.#observe(`${id}:answer#json`, call, !isReadable && { at: '', expected: 'JSON', actual: text() });
    if (body.json !== null) this.#inspect(schema, body.json.value, call, '');
  }

  #judgeStream(call: Call, response: HttpResponse, known: NonNullable<ResponseShape['events']>): void {
    const { id } = call.operation;
    const mediaType = mediaTypeOf(response.headers)?.essence;
    const expected = 'text/event-stream';
    this.#observe(
      `${id}:stream#contentType`,
      call,
      mediaType !== expected && wrongMediaType(mediaType, expected),
    );
    for (const event of eventsOf(response)?.events ?? []) {
      const schema = eventSchemaOf(event, known);
      if (schema === null || isErrorEvent(event)) continue;
      const value = isTextEvent(schema) ? event.data : event.json?.value;
      const at = `event ${event.n}`;
      const violation = value === undefined && { at, expected: 'JSON', actual: describe(event.data) };
      this.#observe(`${id}:stream#json`, call, violation);
      if (value !== undefined) this.#inspect(schema, value, call, `${at} `);
    }
  }

  #inspect(schema: string, value: Json, { exchange, isLegacy }: Call, place: string): void {
    if (this.#broken.has(schema)) return;
    try {
      const visits = isLegacy ? this.#legacyVisits : this.#visits;
      visits.exchange = numberOf(exchange.id);
      for (const { id, at, actual } of this.#inspector.inspect(schema, value, visits)) {
        if (isLegacy && isBetaOnly(id)) continue;
        const constraint = this.#constraints.get(id);
        if (constraint === undefined)
          throw new Error(`the validator reported ${id}, which is not a constraint`);
        const violation = {
          at: `${place}${at}`.trimEnd(),
          expected: constraintPhrase(constraint),
          actual,
          exchange: exchange.id,
        };
        this.#sink.report(id, violation, [exchange]);
      }
    } catch (error) {
      this.#broken.add(schema);
      for (const id of this.#constraints.keys()) if (id.startsWith(`${schema}:`)) this.#sink.fail(id, error);
    }
  }

  #observe(id: string, call: Call, violation: Violation | false): void {
    this.#sink.observe(id, 1, [call.exchange]);
    if (violation !== false) this.#sink.report(id, violation, [call.exchange]);
  }
}

function wrongMediaType(actual: string | undefined, expected: string): Violation {
  return { at: 'header content-type', expected, actual };
}

/** Whether a constraint holds only in the beta form: legacy threads and runs have other tools and may omit settings. */
function isBetaOnly(id: string): boolean {
  return id.startsWith('tool.v2:') || BETA_FIELDS.test(id);
}

function describe(text: string): string {
  return isTooDeep(text)
    ? `nested in more than ${MAX_LEVELS.toLocaleString('en')} levels`
    : quoteBeginning(text);
}

export function schemaRequirements(): RequirementSet {
  const schemas = responseSchemas();
  return {
    origin: 'schema',
    requirements: [...schemas.flatMap(constraintRequirements), ...operations().flatMap(formatRequirements)],
    open: (sink, only) => new ResponseEvaluator(sink, only),
    prepare: () => responseInspector().prepare(),
  };
}

function constraintRequirements(schema: ResponseSchema): Requirement[] {
  const { name, tree, families } = schema;
  return [...constraintsOf(tree)].map((constraint) => ({
    id: constraintId(name, constraint.path, constraint.keyword),
    kind: 'schema',
    families,
    operations: schema.operations,
    level: constraint.level,
    basis: constraint.basis,
    spec: constraint.spec,
    says: constraintSentence(name, constraint),
  }));
}

function formatRequirements(operation: Operation): Requirement[] {
  const { id, spec } = operation;
  const families = countedFamilies(operation);
  const answers = operation.variants.flatMap((variant) => variant.answers);
  const requirement = (suffix: string, says: string, overrides: Partial<Requirement> = {}): Requirement => ({
    id: `${id}:${suffix}`,
    kind: 'schema',
    families,
    operations: [id],
    level: 'MUST',
    basis: 'implied',
    spec,
    says: `${id}: ${says}.`,
    ...overrides,
  });
  // Part 1 states the media type of streams; part 2 only implies it.
  const labelling: Partial<Requirement> = spec.startsWith('1 ') ? { basis: 'stated', spec: '1 Events' } : {};
  const json = [
    // The specification states no media type for JSON, so a wrong one only breaks a SHOULD.
    requirement('answer#contentType', 'a JSON answer is labelled application/json', { level: 'SHOULD' }),
    requirement('answer#json', 'the answer can be read as JSON'),
  ];
  const stream = [
    requirement('stream#contentType', 'a stream is labelled text/event-stream', labelling),
    requirement('stream#json', 'the data of each known event is JSON'),
  ];
  return [
    ...(answers.some((answer) => answer.schema !== null) ? json : []),
    ...(answers.some((answer) => answer.events !== null) ? stream : []),
  ];
}
