// Answers that come in parts, streams and pages, and how far a client reads them. None of it is a duty, so these are choices.
import { eventsOf, isEventStream } from '../../exchange/http/event-stream.ts';
import { isOfClient } from '../../judge/client/client-side.ts';
import { type RequestEvidence, requests, where } from '../../judge/evidence/calls.ts';
import { choice } from '../../judge/requirements/define.ts';
import type { Selector } from '../../judge/requirements/requirement.ts';
import type { Call } from '../../judge/trace/call.ts';
import { valueAtPath } from '../../judge/trace/json.ts';

import { ownOperations } from '../../schemas/index.ts';
import { pathOf } from './selectors/given-ids.ts';

/** Operations that answer with events where they are asked to. */
const STREAMING = ['createChatCompletion', 'createCompletion', 'createRun', 'createThreadAndRun'];
/** Lists that are walked by cursors. */
const LISTS = ownOperations()
  .filter(({ list }) => list !== null && list.cursors.length > 0)
  .map(({ id }) => id);

/** Streams that a client asked for and that began. */
const streams = where(requests(STREAMING), ({ call: { exchange } }) => {
  const { response } = exchange;
  return isOfClient(exchange) && response !== null && response.status < 300 && isEventStream(response);
});

/**
 * Nothing says that a client has to read all of a stream; a user may stop it. A client that hangs up after the last event has
 * read all of it.
 */
export const clientStreamsRead = choice({
  id: 'client.streams.read',
  spec: '2 Events',
  says: 'How far a client reads a stream.',
  alternatives: ['to-the-end', 'hung-up'],
  several: true,
  selector: streams,
  taken: ({ call: { exchange } }) => {
    const last = exchange.response === null ? undefined : eventsOf(exchange.response)?.events.at(-1);
    if (exchange.end.how === 'complete' || last?.data.trim() === '[DONE]') return 'to-the-end';
    return exchange.end.how === 'client-abort' ? 'hung-up' : null;
  },
});

/** The last page of each list, at the end of the trace; `asked` is how many pages of it were asked for. */
const walks: Selector<RequestEvidence> = {
  operations: LISTS,
  variant: null,
  collect: () => {
    /** By list the last answered page that a client asked for. */
    const open = new Map<string, { readonly call: Call; readonly pages: number }>();
    return {
      call: (call) => {
        if (call.responseJson === undefined || !isOfClient(call.exchange) || open.size >= 10_000) return [];
        const { query } = call;
        const others = [...query].filter(([name]) => !['after', 'before', 'limit'].includes(name));
        const key = `${pathOf(call)} ${JSON.stringify(others)}`;
        const isFirst = !query.has('after') && !query.has('before');
        open.set(key, { call, pages: isFirst ? 1 : (open.get(key)?.pages ?? 0) + 1 });
        return [];
      },
      finish: () =>
        [...open.values()].map(({ call, pages }) => ({ exchanges: [call.exchange], call, asked: pages })),
    };
  },
};

/**
 * Nothing says that a client has to read all pages. What counts is the last page that it asked for of each list: whether more
 * was to come.
 */
export const clientPagesWalked = choice({
  id: 'client.pages.walked',
  spec: '1 Common shapes',
  says: 'How far a client walks the pages of a list.',
  alternatives: ['to-the-end', 'stopped-early', 'one-page'],
  several: true,
  selector: walks,
  taken: ({ call, asked: pages }) => {
    const more = valueAtPath(call.responseJson, 'has_more');
    if (more === true) return 'stopped-early';
    return pages === 1 ? 'one-page' : 'to-the-end';
  },
});
