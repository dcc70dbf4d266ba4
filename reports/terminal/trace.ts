import type { Repeat } from '../../exchange/note.ts';
import { printable } from '../../exchange/printable.ts';
import { isNote, type Note, type TraceItem } from '../../exchange/trace.ts';
import { causeOfSkip, isLeftOut } from '../../judge/verdict/cause.ts';
import { wireLines } from '../failure/wire.ts';
import { type WordsByKind, wordsByKind } from '../words/by-kind.ts';
import { causeText, obstacleWords } from '../words/cause.ts';
import { ownerOf } from '../words/defect.ts';
import { disturbedLine } from '../words/disturbed.ts';
import { hintWords } from '../words/hint.ts';
import { stopWords } from '../words/stop.ts';

export function traceLines(item: TraceItem, width: number): string[] {
  // Excluded scenarios would fill the screen with what the user already knows.
  if (isNote(item) && item.note === 'scenario-skipped' && isLeftOut(causeOfSkip(item))) return [];
  if (isNote(item)) return [`-- ${printable(wordsByKind(item, 'note', NOTES))}`];
  const scenario = item.scenario === null ? '' : `  ${printable(item.scenario)}`;
  return [`${item.id}${scenario}`, ...wireLines(item, [], width - 2).map((line) => `  ${line}`)];
}

const NOTES: WordsByKind<'note', Note> = {
  'scenario-started': ({ scenario }) => `${scenario} started`,
  'scenario-ended': ({ scenario }) => `${scenario} ended`,
  'scenario-crashed': ({ scenario, message }) =>
    `${scenario} crashed, a defect of ${ownerOf(scenario)}: ${message}`,
  'scenario-skipped': (note) =>
    `${note.scenario} skipped: ${note.reason} (${causeText(causeOfSkip(note)).detail})`,
  blocked: ({ scenario, by, obstacle }) => `${scenario} blocked by ${by}: ${obstacleWords(obstacle)}`,
  deadline: ({ scenario, state, exchange }) =>
    `${scenario} timed out waiting, last state ${state} (${exchange})`,
  resumed: ({ scenarios }) => `resumed ${scenarios.join(', ')}`,
  retry: ({ exchange, of, repeat }) => `${exchange} repeats ${of}: ${repeatWords(repeat)}`,
  stopped: (note) => `stopped, ${note.reason}: ${stopWords(note)}`,
  hint: ({ hint }) => hintWords(hint),
  disturbed: ({ answer }) => disturbedLine(answer),
  remark: ({ message }) => message,
};

function repeatWords(repeat: Repeat): string {
  if (repeat.why === 'closed') return repeat.detail ?? 'upstream-reset';
  return `HTTP ${repeat.status}, waited ${repeat.seconds} s`;
}
