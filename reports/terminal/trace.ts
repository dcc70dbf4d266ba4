import type { Repeat } from '../../exchange/note.ts';
import { printable } from '../../exchange/printable.ts';
import { isNote, type Note, type TraceItem } from '../../exchange/trace.ts';
import { causeOfSkip, isLeftOut } from '../../judge/verdict/cause.ts';
import { wireLines } from '../failure/wire.ts';
import { causeText, obstacleWords } from '../words/cause.ts';
import { ownerOf } from '../words/defect.ts';
import { disturbedLine } from '../words/disturbed.ts';
import { stopWords } from '../words/gate-reason.ts';
import { hintWords } from '../words/hint.ts';

/** Empty for scenarios that options exclude. */
export function traceLines(item: TraceItem, width: number): string[] {
  // Excluded scenarios would fill the screen with things that the user already knows.
  if (isNote(item) && item.note === 'scenario-skipped' && isLeftOut(causeOfSkip(item))) return [];
  if (isNote(item)) return [`-- ${printable(noteWords(item))}`];
  const scenario = item.scenario === null ? '' : `  ${printable(item.scenario)}`;
  return [`${item.id}${scenario}`, ...wireLines(item, [], width - 2).map((line) => `  ${line}`)];
}

function noteWords(note: Note): string {
  switch (note.note) {
    case 'scenario-started':
    case 'scenario-ended':
      return `${note.scenario} ${note.note === 'scenario-started' ? 'started' : 'ended'}`;
    case 'scenario-crashed':
      return `${note.scenario} broke down, a defect of ${ownerOf(note.scenario)}: ${note.message}`;
    case 'scenario-skipped':
      return `${note.scenario} skipped: ${note.reason} (${causeText(causeOfSkip(note)).detail})`;
    case 'blocked':
      return `${note.scenario} blocked by ${note.by}: ${obstacleWords(note.obstacle)}`;
    case 'deadline':
      return `${note.scenario} timed out waiting, last state ${note.state} (${note.exchange})`;
    case 'resumed':
      return `resumed ${note.scenarios.join(', ')}`;
    case 'retry':
      return `${note.exchange} repeats ${note.of}: ${repeatWords(note.repeat)}`;
    case 'stopped':
      return `stopped, ${note.reason}: ${stopWords(note)}`;
    case 'hint':
      return hintWords(note.hint);
    case 'disturbed':
      return disturbedLine(note.answer);
    case 'remark':
      return note.message;
    default:
      return note satisfies never;
  }
}

function repeatWords(repeat: Repeat): string {
  if (repeat.why === 'closed') return repeat.detail ?? 'upstream-reset';
  return `HTTP ${repeat.status}, waited ${repeat.seconds} s`;
}
