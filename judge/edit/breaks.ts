import type { Json } from '../../exchange/body.ts';
import { decoded } from '../../exchange/content.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { operationOf } from '../call.ts';
import { outcomeOf } from '../outcome.ts';
import type { Break } from '../requirement.ts';
import { answering, withAnswer, withBody, withHeader, withStatus } from './exchanges.ts';
import { type Frame, frameWith, reframe, withEvents } from './streams.ts';
import type { Edit } from './values.ts';

/** Changes one exchange, or gives the very same where it does not apply. */
export type ExchangeEdit = (exchange: Exchange) => Exchange;

/** Edits every successful exchange of an operation; null where that changes none. */
export function everywhere(operation: string, edit: ExchangeEdit): Break {
  return (trace) => {
    const changed = trace.map((exchange) => (succeeds(exchange, operation) ? edit(exchange) : exchange));
    return changed.some((exchange, i) => exchange !== trace[i]) ? changed : null;
  };
}

/** In every JSON answer of an operation. */
export function inAnswer(operation: string, edit: Edit): Break {
  return everywhere(operation, (exchange) => withAnswer(exchange, edit));
}

/** In every JSON answer of an operation whose request is as asked for. */
export function inAnswerWhere(operation: string, fits: (exchange: Exchange) => boolean, edit: Edit): Break {
  return everywhere(operation, (exchange) => (fits(exchange) ? withAnswer(exchange, edit) : exchange));
}

/** Which events of a stream are meant: their indexes. */
export type Pick = (frames: readonly Frame[]) => readonly number[];

export const first: Pick = (frames) => (frames.length > 0 ? [0] : []);
export const second: Pick = (frames) => (frames.length > 1 ? [1] : []);
export const last: Pick = (frames) => (frames.length > 0 ? [frames.length - 1] : []);

/** The events whose data fulfil a condition. */
export function where(fits: (data: Json, event: string) => boolean): Pick {
  return (frames) =>
    frames.flatMap(({ data, event }, i) => {
      const value = parsed(data);
      return value !== undefined && fits(value, event) ? [i] : [];
    });
}

/** The first that another pick finds. */
export function firstOf(pick: Pick): Pick {
  return (frames) => pick(frames).slice(0, 1);
}

/** The last that another pick finds. */
export function lastOf(pick: Pick): Pick {
  return (frames) => pick(frames).slice(-1);
}

/** Edits the data of events in every stream of an operation. */
export function inEvent(operation: string, pick: Pick, edit: Edit): Break {
  return inFrames(operation, (frames) => {
    const picked = new Set(pick(frames));
    return frames.map((frame, i) => (picked.has(i) ? reframe(frame, edit) : frame));
  });
}

export function dropEvent(operation: string, pick: Pick): Break {
  return inFrames(operation, (frames) => {
    const picked = new Set(pick(frames));
    return frames.filter((_, i) => !picked.has(i));
  });
}

/** Says an event twice. */
export function doubleEvent(operation: string, pick: Pick): Break {
  return inFrames(operation, (frames) => {
    const picked = new Set(pick(frames));
    return frames.flatMap((frame, i) => (picked.has(i) ? [frame, frame] : [frame]));
  });
}

/** Adds an event at the end. */
export function appendEvent(operation: string, event: string, data: Json): Break {
  const frame = frameWith(event, typeof data === 'string' ? data : JSON.stringify(data));
  return inFrames(operation, (frames) => [...frames, frame]);
}

/** Moves an event to another place. */
export function moveEvent(operation: string, pick: Pick, to: 'front' | 'back'): Break {
  return inFrames(operation, (frames) => {
    const picked = new Set(pick(frames));
    const moved = frames.filter((_, i) => picked.has(i));
    const others = frames.filter((_, i) => !picked.has(i));
    return to === 'front' ? [...moved, ...others] : [...others, ...moved];
  });
}

/** Rewrites the events of every stream of an operation. */
export function inFrames(operation: string, rewrite: (frames: readonly Frame[]) => readonly Frame[]): Break {
  return everywhere(operation, (exchange) => withEvents(exchange, rewrite));
}

export function status(operation: string, code: number): Break {
  return everywhere(operation, (exchange) => withStatus(exchange, code));
}

export function header(operation: string, name: string, value: string | null): Break {
  return everywhere(operation, (exchange) => withHeader(exchange, name, value));
}

/** Changes the bytes of every answer of an operation. */
export function bytes(operation: string, change: (content: Uint8Array) => Uint8Array): Break {
  return everywhere(operation, (exchange) => {
    const content = exchange.response === null ? null : decoded(exchange.response);
    return content?.bytes == null ? exchange : withBody(exchange, change(content.bytes));
  });
}

/** Answers as success what was turned down: every exchange of an operation that got a 4xx. */
export function succeedAnyway(operation: string, json: (exchange: Exchange) => Json): Break {
  return (trace) => {
    const changed = trace.map((exchange) =>
      calls(exchange, operation) && (exchange.response?.status ?? 0) >= 400
        ? answering(exchange, 200, json(exchange))
        : exchange,
    );
    return changed.some((exchange, i) => exchange !== trace[i]) ? changed : null;
  };
}

export function calls(exchange: Exchange, operation: string): boolean {
  return operationOf(exchange.request)?.operation.id === operation;
}

export function succeeds(exchange: Exchange, operation: string): boolean {
  return calls(exchange, operation) && outcomeOf(exchange) === 'accepted';
}

function parsed(data: string): Json | undefined {
  try {
    return JSON.parse(data) as Json; // as: JSON.parse gives exactly Json, the library types it any
  } catch {
    return undefined;
  }
}
