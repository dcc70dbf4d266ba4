import { refusedStreamRequirement } from '../generate/streams.ts';
import { rowOf } from '../rows/rows.ts';
import { inEvents } from '../vocabulary/changes.ts';
import { frameWithData } from '../vocabulary/exchanges.ts';
import type { StreamEvidence, StreamFrame } from '../vocabulary/types.ts';
import { DONE } from './chunks.ts';
import { CHAT_KIND, doneEndsStream, nothingAfterDone, oneDataLine } from './completions.ts';

const CHAT = 'createChatCompletion';

export const chatStreamSameId = rowOf<StreamEvidence>('chat.stream.same-id', {
  broken_by: { 'each has its own': inEvents(CHAT, ownIds) },
});

export const chatStreamDoneEndsStream = doneEndsStream(CHAT_KIND);

export const chatStreamNothingAfterDone = nothingAfterDone(CHAT_KIND);

export const chatStreamOneDataLine = oneDataLine(CHAT_KIND);

export const chatStreamRefusedByStatus = refusedStreamRequirement({
  id: 'chat.stream.refused-by-status',
  spec: '2 Chat completions',
  operations: ['createChatCompletion'],
});

/** The chunks of a stream with different ids. */
function ownIds(frames: readonly StreamFrame[]): readonly StreamFrame[] {
  return frames.map((frame, i) =>
    frame.data === DONE
      ? frame
      : frameWithData('', frame.data.replace(/"id":"[^"]*"/, `"id":"chatcmpl-${i}"`)),
  );
}
