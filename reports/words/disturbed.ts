import type { DisturbedAnswer } from '../../exchange/disturbed.ts';
import { compact } from '../../schemas/message-text.ts';

/** Whether the client caused harm: it created an object twice, or used half a stream. */
export function isHarmful({ createdTwice, usedHalf }: DisturbedAnswer): boolean {
  return createdTwice.length > 0 || usedHalf;
}

export function disturbedLine(answer: DisturbedAnswer): string {
  const { disturbance, request } = answer;
  return request === null
    ? `${disturbance} matched no request; without "on" in a file, neither the first request nor two in a row are disturbed`
    : `disturbed ${request} by ${disturbance}: ${reactionWords(answer).join(', ')}`;
}

export function reactionWords(answer: DisturbedAnswer): readonly string[] {
  const { retries, retriedAfter, honoured, wentOn, createdTwice, usedHalf } = answer;
  const copies = createdTwice.length === 2 ? 'twice' : `${createdTwice.length} times`;
  const times = retries === 1 ? 'once' : `${retries} times`;
  const wait = retriedAfter === null ? '' : ` after ${(retriedAfter / 1000).toFixed(2)} s`;
  return compact(
    retries === 0 ? 'not repeated' : `repeated ${times}${wait}`,
    honoured !== null && (honoured ? 'Retry-After honoured' : 'Retry-After ignored'),
    retries === 0 && (wentOn ? 'other requests followed' : 'no request followed'),
    createdTwice.length > 0 && `the object exists ${copies}, ${createdTwice.join(' and ')}`,
    usedHalf && 'half a stream was used as if it were whole',
  );
}
