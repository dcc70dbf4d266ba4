export interface Cue {
  /** Number of the line with the times in the file, counted from 1. */
  readonly line: number;
  readonly label: string | null;
  /** Seconds from the start of the audio. */
  readonly start: number;
  readonly end: number;
  /** The lines of text, joined by line feeds, with the markup of the format. */
  readonly text: string;
}

export interface Flaw {
  readonly line: number;
  readonly expected: string;
  readonly actual: string;
}

/** A parsed subtitle file. A block with a flaw has no cue. */
export interface Captions {
  readonly cues: readonly Cue[];
  readonly flaws: readonly Flaw[];
}

/** A line of the file, counted from 1, without trailing white space. */
interface Line {
  readonly number: number;
  readonly text: string;
}

/** SubRip: a comma precedes the milliseconds. Both patterns have groups for hours, minutes, seconds, milliseconds. */
const SRT_TIMES =
  /^(\d{2,}):([0-5]\d):([0-5]\d),(\d{3})[ \t]+-->[ \t]+(\d{2,}):([0-5]\d):([0-5]\d),(\d{3})(?:\s.*)?$/;
/** WebVTT: the hours are optional, and a point precedes the milliseconds. */
const VTT_TIMES =
  /^(?:(\d{2,}):)?([0-5]\d):([0-5]\d)\.(\d{3})[ \t]+-->[ \t]+(?:(\d{2,}):)?([0-5]\d):([0-5]\d)\.(\d{3})(?:[ \t].*)?$/;

/** Named character references; the marks of the direction of writing are invisible. */
const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
  ['lrm', ''],
  ['rlm', ''],
]);

export function readSrt(file: string): Captions {
  return readBlocks(blocksOf(linesOf(file)), SRT_TIMES, 'HH:MM:SS,mmm --> HH:MM:SS,mmm');
}

/** Skips blocks without times, such as notes and styles. */
export function readVtt(file: string): Captions {
  const lines = linesOf(file);
  const [first] = lines;
  const hasHeader = first !== undefined && /^WEBVTT(?:[ \t].*)?$/.test(first.text);
  const flaw = { line: 1, expected: 'WEBVTT', actual: first?.text ?? '' };
  const blocks = blocksOf(lines).filter((block) => timesIndex(block) !== -1);
  const { cues, flaws } = readBlocks(blocks, VTT_TIMES, '[HH:]MM:SS.mmm --> [HH:]MM:SS.mmm');
  return { cues, flaws: hasHeader ? flaws : [flaw, ...flaws] };
}

function readBlocks(blocks: readonly (readonly Line[])[], times: RegExp, expected: string): Captions {
  const cues: Cue[] = [];
  const flaws: Flaw[] = [];
  for (const block of blocks) {
    const at = Math.max(0, timesIndex(block));
    const line = block[at];
    if (line === undefined) continue;
    const match = times.exec(line.text);
    if (match === null) flaws.push({ line: line.number, expected, actual: line.text });
    else cues.push(cueOf(match, line.number, block, at));
  }
  return { cues, flaws };
}

/** Index of the line with the times, which may be the first or second of a block; -1 if neither has any. */
function timesIndex(block: readonly Line[]): number {
  return block.slice(0, 2).findIndex(({ text }) => text.includes('-->'));
}

function cueOf(times: RegExpExecArray, line: number, block: readonly Line[], at: number): Cue {
  const [, ...parts] = times.map((part) => Number(part ?? 0));
  const text = block.slice(at + 1).map((one) => one.text);
  const label = at === 0 ? null : (block[0]?.text ?? null);
  return {
    line,
    label,
    start: secondsOf(parts.slice(0, 4)),
    end: secondsOf(parts.slice(4)),
    text: text.join('\n'),
  };
}

function secondsOf([hours = 0, minutes = 0, seconds = 0, milliseconds = 0]: readonly number[]): number {
  return hours * 3600 + minutes * 60 + seconds + milliseconds / 1000;
}

function linesOf(file: string): readonly Line[] {
  return file
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .map((text, i) => ({ number: i + 1, text: text.trimEnd() }));
}

function blocksOf(lines: readonly Line[]): readonly (readonly Line[])[] {
  const blocks: Line[][] = [[]];
  for (const line of lines) {
    if (line.text === '') blocks.push([]);
    else blocks.at(-1)?.push(line);
  }
  return blocks.filter((block) => block.length > 0);
}

export function removeMarkup(text: string): string {
  return (
    text
      // Matching an unclosed tag to its end keeps the time linear in the length of the text.
      .replaceAll(/<[^>]*(>|$)/g, (tag, end) => (end === '' ? tag : ''))
      .replaceAll(/&#(\d{1,6}|x[\da-f]{1,5});|&([a-z]+);/gi, (reference, code?: string, name = '') =>
        // `0x27` is read as hexadecimal, `039` as decimal.
        code === undefined ? (CHARACTERS.get(name) ?? reference) : String.fromCodePoint(Number(`0${code}`)),
      )
  );
}

/** Joins the texts of cues in the order of their start times, because a file may contain cues in any order. */
export function joinCues(cues: readonly Pick<Cue, 'start' | 'text'>[]): string {
  return cues
    .toSorted((a, b) => a.start - b.start)
    .map((cue) => cue.text)
    .join(' ');
}
