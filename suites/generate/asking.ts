// Scenarios that only send bodies to one operation: rows of `scenarios.json`, and the few whose bodies need code.
import { readFileSync } from 'node:fs';
import { valueAt } from '../../drive/scenario/call-result.ts';
import {
  type ModelRole,
  type Scenario,
  type ScenarioContext,
  scenario,
} from '../../drive/scenario/scenario.ts';
import { dataFiles } from '../data/family-data.ts';
import type { Json, JsonObject } from '../vocabulary/types.ts';
import { callRefusedStream } from './rule-probes.ts';

/** One scenario; `data/scenarios.schema.json` describes the members. */
export interface AskingRow {
  readonly operation: string;
  /** The role whose model the bodies name; none if the model is left to its default. */
  readonly role?: ModelRole;
  readonly ask?: 'once' | 'both ways' | 'both ways, repeated' | 'a refused stream';
  readonly bodies: readonly JsonObject[];
}

interface ScenariosFile extends Omit<AskingRow, 'bodies'> {
  readonly parts?: JsonObject;
  readonly scenarios: Readonly<Record<string, Pick<AskingRow, 'bodies'> & Partial<AskingRow>>>;
}

/** The scenarios of all `scenarios.json`. What the file says holds for the rows that do not say it themselves. */
export function askingScenarios(): readonly Scenario[] {
  return dataFiles('scenarios.json').flatMap((path) => {
    const { parts = {}, scenarios, ...common }: ScenariosFile = JSON.parse(readFileSync(path, 'utf8'));
    return Object.entries(withParts(scenarios, parts)).map(([name, row]) =>
      askingScenario(name, { ...common, ...row }),
    );
  });
}

/** The rows with the parts in place of their names, `{say}`. */
function withParts<T>(rows: T, parts: JsonObject): T {
  return JSON.parse(JSON.stringify(rows), (_, value) => {
    const name = typeof value === 'string' ? /^\{([a-z_]+)\}$/.exec(value)?.[1] : undefined;
    return name === undefined ? value : (parts[name] ?? value);
  });
}

export function askingScenario(name: string, row: AskingRow): Scenario {
  const { operation, role } = row;
  return scenario({
    name,
    operations: [operation],
    ...(role !== undefined && { roles: [role] }),
    run: (context) => askAll(context, row),
  });
}

/** Fields that make a model as deterministic as possible. */
export const REPEATED = { temperature: 0, seed: 7 };

export async function askAll(
  context: ScenarioContext,
  { operation, role, ask = 'once', bodies }: AskingRow,
): Promise<void> {
  const model = role === undefined ? {} : { model: context.model(role) };
  for (const fields of bodies) {
    const body = { ...model, ...fields };
    if (ask === 'once') await context.call(operation, { body });
    else if (ask === 'a refused stream') await callRefusedStream(context, operation, body);
    else
      await askBothWays(
        context,
        operation,
        { ...model, ...REPEATED, ...fields },
        ask === 'both ways, repeated',
      );
  }
}

/** Number of repetitions that reveal occasional behaviour of a model. */
const SAMPLES = 6;
/** Settings that a service may apply in only some replies of a sampling model. */
const SAMPLED = ['stop', 'response_format', 'tool_choice'];

/** Requests a non-streamed reply, and then a stream of the same request. */
async function askBothWays(
  context: ScenarioContext,
  operation: string,
  body: JsonObject,
  isRepeated: boolean,
): Promise<void> {
  const timesIf = (isSampled: boolean) => (isRepeated && isSampled ? SAMPLES : 1);
  const texts = new Set<Json>();
  for (let n = 0; n < timesIf(SAMPLED.some((name) => name in body)); n++) {
    const { ok, json } = await context.call(operation, { body });
    const text = valueAt(json, '/choices/0/message/content') || null;
    // Two equal texts show that the service does not sample; function calls are always equal.
    if (!ok || (text !== null && texts.has(text))) break;
    texts.add(text);
  }
  const streamed = { ...body, stream: true, stream_options: { include_usage: true } };
  // A sampling model may call in one stream and answer in words in another.
  for (let n = 0; n < timesIf('tool_choice' in body); n++) {
    const { ok } = await context.call(operation, { body: streamed });
    if (!ok) break;
  }
}
