/** One line of a subtitle file: from when to when, and what is said. Times in seconds. */
export interface Cue {
  /** Line of the file, from 1, on which its times stand. */
  readonly line: number;
  /** What stands on the line above its times; null where nothing does. */
  readonly label: string | null;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A line that does not belong where it stands. */
export interface Flaw {
  readonly line: number;
  readonly expected: string;
  readonly actual: string;
}

export interface Captions {
  readonly cues: readonly Cue[];
  readonly flaws: readonly Flaw[];
}

interface Line {
  readonly n: number;
  readonly text: string;
}

const SRT_TIMES =
  /^(\d{2,}):([0-5]\d):([0-5]\d),(\d{3})[ \t]+-->[ \t]+(\d{2,}):([0-5]\d):([0-5]\d),(\d{3})(?:\s.*)?$/;
const VTT_TIMES =
  /^(?:(\d{2,}):)?([0-5]\d):([0-5]\d)\.(\d{3})[ \t]+-->[ \t]+(?:(\d{2,}):)?([0-5]\d):([0-5]\d)\.(\d{3})(?:[ \t].*)?$/;

/** Reads SubRip: blocks of a number, times and text. */
export function readSrt(file: string): Captions {
  return read(blocksOf(linesOf(file)), SRT_TIMES, 'HH:MM:SS,mmm --> HH:MM:SS,mmm');
}

/** Reads WebVTT: its name, then blocks of times and text, perhaps with a label above; blocks without times say nothing. */
export function readVtt(file: string): Captions {
  const lines = linesOf(file);
  const [first] = lines;
  const isNamed = first !== undefined && /^WEBVTT(?:[ \t].*)?$/.test(first.text);
  const flaw = { line: 1, expected: 'WEBVTT', actual: first?.text ?? '' };
  const blocks = blocksOf(lines).filter((block) => timesIn(block) !== -1);
  const { cues, flaws } = read(blocks, VTT_TIMES, '[HH:]MM:SS.mmm --> [HH:]MM:SS.mmm');
  return { cues, flaws: isNamed ? flaws : [flaw, ...flaws] };
}

function read(blocks: readonly (readonly Line[])[], times: RegExp, form: string): Captions {
  const cues: Cue[] = [];
  const flaws: Flaw[] = [];
  for (const block of blocks) {
    const at = timesIn(block);
    const line = block[Math.max(0, at)];
    const found = line === undefined ? null : times.exec(line.text);
    if (line === undefined) continue;
    if (found === null) flaws.push({ line: line.n, expected: form, actual: line.text });
    else cues.push(cueOf(found, line.n, block, Math.max(0, at)));
  }
  return { cues, flaws };
}

/** Which of the first two lines of a block has the times; -1 where none has. */
function timesIn(block: readonly Line[]): number {
  return block.slice(0, 2).findIndex(({ text }) => text.includes('-->'));
}

function cueOf(found: RegExpExecArray, line: number, block: readonly Line[], at: number): Cue {
  const [, ...parts] = found.map((part) => Number(part ?? 0));
  const text = block.slice(at + 1).map((one) => one.text);
  const label = at === 0 ? null : (block[0]?.text ?? null);
  return { line, label, start: clock(parts.slice(0, 4)), end: clock(parts.slice(4)), text: text.join('\n') };
}

function clock([hours = 0, minutes = 0, seconds = 0, thousandths = 0]: readonly number[]): number {
  return hours * 3600 + minutes * 60 + seconds + thousandths / 1000;
}

function linesOf(file: string): readonly Line[] {
  return file
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .map((text, i) => ({ n: i + 1, text: text.trimEnd() }));
}

/** Lines that stand together, parted by empty ones. */
function blocksOf(lines: readonly Line[]): readonly (readonly Line[])[] {
  const blocks: Line[][] = [[]];
  for (const line of lines) {
    if (line.text === '') blocks.push([]);
    else blocks.at(-1)?.push(line);
  }
  return blocks.filter((block) => block.length > 0);
}
