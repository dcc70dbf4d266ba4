import { hashText } from '../state/ids.ts';
import type { Turn } from './conversation.ts';

const openings = [
  'I read your message',
  'Here is what I make of it',
  'Thank you for asking',
  'Let me answer',
];
const closings = [
  'Ask me to count, to say something, or to call a tool, and I will do exactly that.',
  'This answer is always the same for the same question.',
  'A stand-in model wrote this, so that nothing about it depends on chance.',
];

const searched = 20_000;

const longestCount = 2_000;

/**
 * The text that the stand-in model generates. `variation` (index of the choice, seed) only changes the wording of
 * replies without instructions.
 */
export function speak(turns: readonly Turn[], variation: number): string {
  const last = turns.at(-1);
  const asked = turns.findLast(({ role }) => role === 'user')?.text ?? last?.text ?? '';
  if (last?.role === 'tool' || last?.role === 'function')
    return `The tool answered: ${firstWords(last.text, 40)}`;
  // The patterns backtrack, so the text is bounded.
  const guidance = asked.slice(0, searched);
  return requestedText(guidance) ?? countUp(guidance) ?? stockReply(asked, last?.images ?? 0, variation);
}

export function speakJson(turns: readonly Turn[], variation: number): string {
  return JSON.stringify({ answer: speak(turns, variation), words: ['one', 'two', 'three'], ok: true });
}

/** `say "…"`, `repeat: …`, `answer with exactly …`. */
function requestedText(asked: string): string | null {
  const quoted =
    /\b(?:say|repeat|reply|respond|answer|write|print|output|echo)\b[^"“'\n]{0,60}["“'](.{1,4000}?)["”']/is;
  const after = /\b(?:say|repeat|reply|respond|answer|write|print|output|echo)\b[^:\n]{0,60}:\s*(.+)$/is;
  const plain = /^\s*(?:please\s+)?say\s+(.{1,200}?)[.!]?\s*$/is;
  for (const shape of [quoted, after, plain]) {
    const text = shape.exec(asked)?.[1]?.trim();
    if (text !== undefined && text !== '') return text;
  }
  return null;
}

/** `count from 3 to 12`, `count to ten` in digits. */
function countUp(asked: string): string | null {
  const found = /\bcount\b[^\d\n]{0,40}?(?:from\s+(\d{1,6})\D{1,20})?(?:to\s+)?(\d{1,6})/i.exec(asked);
  if (found === null) return null;
  const from = Number(found[1] ?? 1);
  const to = Math.min(Number(found[2]), from + longestCount);
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n).join(', ');
}

function stockReply(asked: string, images: number, variation: number): string {
  const hash = hashText(asked) + variation * 7;
  const opening = openings[hash % openings.length];
  const closing = closings[hash % closings.length];
  const seen = images > 0 ? ` I see ${images} image${images > 1 ? 's' : ''}.` : '';
  const quote = asked === '' ? 'You said nothing.' : `You said: ${firstWords(asked, 24)}`;
  return `${opening}. ${quote}${seen} ${closing}`;
}

function firstWords(text: string, words: number): string {
  const all = text.trim().split(/\s+/);
  return all.length > words ? `${all.slice(0, words).join(' ')} …` : all.join(' ');
}
