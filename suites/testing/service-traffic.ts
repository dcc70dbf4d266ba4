// Handmade traffic in the form that recorders of a deployed service write, and functions to judge it against the
// catalogue.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Exchange, HeaderPairs } from '../../exchange/exchange.ts';
import { Body, type Json } from '../../exchange/http/body.ts';
import { openJudge } from '../../explain/judge.ts';
import { type Dialect, readDialect } from '../../judge/dialects/dialect.ts';
import type { JudgedSide } from '../../judge/requirements/requirement.ts';
import { testTraceHeader } from '../../judge/testing/trace-builder.ts';
import type { Judgement } from '../../judge/verdict/verdict.ts';
import { catalogue } from '../index.ts';

export interface Sketch {
  /** Method and path below the host: `POST /v1/threads`. */
  readonly call: string;
  readonly sent?: Json;
  /** Fields of a form; those with a file name are files. */
  readonly form?: readonly (readonly [name: string, value: string | Uint8Array, filename?: string])[];
  /** The part that the recording lacks: the body of the request, or the content of the files in its form. */
  readonly lacks?: 'body' | 'files';
  /** Default: 200. */
  readonly status?: number;
  readonly answer?: Json;
  /** Data of the events of a streamed response, or name and data. */
  readonly events?: readonly (Json | readonly [name: string, data: Json])[];
  readonly beta?: 'v1' | 'v2';
  /** Key of the caller, if it is not the usual one. */
  readonly key?: string;
  /** Host of a service whose key was removed from the recording. */
  readonly keylessHost?: string;
  /** A key in the field `api-key`. */
  readonly gatewayKey?: string;
  readonly project?: string;
  readonly date?: string;
  /** Number of exchanges that had ended when this one began; by default, all earlier ones. */
  readonly after?: number;
}

const BOUNDARY = 'boundary-of-a-form';

function trafficOf(sketches: readonly Sketch[]): readonly Exchange[] {
  return sketches.map((sketch, i) => {
    const [method = '', target = ''] = sketch.call.split(' ');
    const isStream = sketch.events !== undefined;
    const headers: [string, string][] = [
      ['content-type', isStream ? 'text/event-stream' : 'application/json'],
    ];
    if (sketch.date !== undefined) headers.push(['date', sketch.date]);
    return {
      id: `e${i + 1}`,
      after: sketch.after ?? i,
      ended: i + 1,
      scenario: null,
      probe: null,
      request: { method, target, headers: headersOf(sketch), body: bodyOf(sketch) },
      response: {
        status: sketch.status ?? 200,
        reason: '',
        headers,
        body: Body.from(isStream ? streamOf(sketch.events) : JSON.stringify(sketch.answer ?? {})),
        trailers: [],
        pieces: [],
      },
      end: { how: 'complete', detail: null, at: 5 },
    };
  });
}

export function readShippedDialect(name: string): Dialect {
  return readDialect(readDialectText(name), name);
}

export function readDialectText(name: string): string {
  return readFileSync(createRequire(import.meta.url).resolve(`#dialects/${name}.json`), 'utf8');
}

export async function judgeServiceTraffic(
  sketches: readonly Sketch[],
  dialect: Dialect | null,
  side: JudgedSide = 'server',
  only: readonly string[] = [],
): Promise<Judgement> {
  const header = testTraceHeader({ betaHeader: 'OpenAI-Beta', filters: { only, skip: [] } });
  const all = await catalogue(side);
  // Kinds of requirements are judged independently; the others would take most of the time.
  const requirementSets = all.requirementSets.filter(
    ({ requirements }) => only.length === 0 || requirements.some(({ id }) => only.includes(id)),
  );
  const judge = openJudge({ catalogue: { ...all, requirementSets }, header, dialect });
  for (const exchange of trafficOf(sketches)) judge.feed(exchange);
  return judge.finish();
}

export function brokenIds({ requirements }: Judgement): readonly string[] {
  return requirements
    .filter(({ verdict }) => verdict === 'fail' || verdict === 'warn' || verdict === 'error')
    .map(({ id }) => id);
}

function headersOf(sketch: Sketch): HeaderPairs {
  const { sent, form, beta, key = 'of-a-test', keylessHost, gatewayKey, project } = sketch;
  const headers: [string, string][] = [];
  headers.push(keylessHost === undefined ? ['authorization', `Bearer ${key}`] : ['host', keylessHost]);
  if (gatewayKey !== undefined) headers.push(['api-key', gatewayKey]);
  if (project !== undefined) headers.push(['OpenAI-Project', project]);
  if (form !== undefined) headers.push(['content-type', `multipart/form-data; boundary=${BOUNDARY}`]);
  if (sent !== undefined) headers.push(['content-type', 'application/json']);
  if (beta !== undefined) headers.push(['OpenAI-Beta', `assistants=${beta}`]);
  return headers;
}

function bodyOf(sketch: Sketch): Body {
  if (sketch.lacks === 'body') return Body.unknown();
  if (sketch.lacks === undefined) return Body.from(contentOf(sketch));
  const parts = (sketch.form ?? []).map(([name, value, filename = null]) => {
    const body = filename === null ? Body.from(value) : Body.unknown();
    return { name, filename, type: null, headers: [], body };
  });
  return Body.digest(Body.unknownSha256, 1, parts);
}

function contentOf({ sent, form }: Sketch): string | Uint8Array {
  if (form === undefined) return sent === undefined ? '' : JSON.stringify(sent);
  const parts = form.flatMap(([name, value, filename]) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`;
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
    return [head, value, '\r\n'];
  });
  return Buffer.concat([...parts, `--${BOUNDARY}--\r\n`].map((part) => Buffer.from(part)));
}

function streamOf(events: NonNullable<Sketch['events']>): string {
  return events
    .map((event) => {
      const [name, data]: readonly [string | null, Json] = isNamed(event) ? event : [null, event];
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      return `${name === null ? '' : `event: ${name}\n`}data: ${text}\n\n`;
    })
    .join('');
}

function isNamed(event: Json | readonly [string, Json]): event is readonly [string, Json] {
  return Array.isArray(event);
}
