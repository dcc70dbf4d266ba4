// Tags are parts of the names of created resources, by which cleanup finds the resources of a run.
import { randomBytes } from 'node:crypto';
import type { Json } from '../../exchange/http/body.ts';

export function createRunTag(): string {
  return `assay-${randomBytes(5).toString('hex')}`;
}

export function isRunTag(text: string): boolean {
  return /^assay-[0-9a-f]{10}$/.test(text);
}

export function isScenarioTag(text: string, runTag: string): boolean {
  return text.startsWith(`${runTag}-`) && /^[1-9]\d{0,5}$/.test(text.slice(runTag.length + 1));
}

/** Whether a value contains a whole tag: `run-1` is in `run-1.jsonl`, but not in `run-12` or `my-run-1`. */
export function hasTag(value: Json, tag: string): boolean {
  if (tag === '') return false;
  // JSON escapes become spaces, because the letter of `\n` is no neighbour.
  const text = JSON.stringify(value).replace(/\\(?:u[\da-f]{4}|.)/g, ' ');
  for (let from = text.indexOf(tag); from !== -1; from = text.indexOf(tag, from + 1)) {
    const neighbours = [text.charAt(from - 1), text.charAt(from + tag.length)];
    if (!neighbours.some((character) => /[\w-]/.test(character))) return true;
  }
  return false;
}
