// A JSON body as lines around the places that findings cite. What stands far from them is counted, not shown.
import type { Json } from '../../../exchange/http/body.ts';
import { briefJson, isArray, memberOf, printable } from '../../failure/excerpt.ts';

/** One line of a body. */
export interface ExcerptLine {
  /** Levels of indentation. */
  readonly depth: number;
  readonly text: string;
  /** `cited`: the value of a finding; `missing`: a member that is not there, and should be. */
  readonly mark: 'cited' | 'missing' | null;
}

/** Members that are shown on each side of a cited one. */
const NEAR = 2;
/** Members of a body that is cited as a whole. */
const WHOLE = 14;
/** Characters of a cited value, and of any other. */
const CITED = 240;
const OTHER = 72;
/** Lines of one body. */
const LINES = 28;

/** Where a value stands: its indentation, and what is printed before it and after it. */
interface Position {
  readonly depth: number;
  /** `"id": `, or nothing for an element of a list. */
  readonly name: string;
  /** `,` where a neighbour follows. */
  readonly tail: string;
}

/** The lines around places, each given by the tokens of its JSON pointer. Safe to print. */
export function bodyExcerpt(value: Json, places: readonly (readonly string[])[]): readonly ExcerptLine[] {
  const root = { depth: 0, name: '', tail: '' };
  const below = places.filter(({ length }) => length > 0);
  const lines = below.length === 0 ? whole(value) : linesOf(value, below, root);
  return lines.length <= LINES ? lines : [...lines.slice(0, LINES), { depth: 0, text: '…', mark: null }];
}

/** A body that no place within it is cited of: its first members. */
function whole(value: Json): ExcerptLine[] {
  const members = membersOf(value);
  if (members === null) return [{ depth: 0, text: briefJson(value, CITED), mark: 'cited' }];
  const lines = members.slice(0, WHOLE).map(({ name, value: member }, n) => {
    const tail = n < members.length - 1 ? ',' : '';
    return { depth: 1, text: `${name}${briefJson(member, OTHER)}${tail}`, mark: null };
  });
  return bracketed(value, [...lines, ...elided(members.length - WHOLE, 1)], { depth: 0, name: '', tail: '' });
}

/** The lines of a value; `places` are relative to it. */
function linesOf(value: Json, places: readonly (readonly string[])[], position: Position): ExcerptLine[] {
  const { depth, name, tail } = position;
  const members = membersOf(value);
  if (members === null || places.length === 0 || places.some(({ length }) => length === 0)) {
    const isCited = places.length > 0;
    const text = `${name}${briefJson(value, isCited ? CITED : OTHER)}${tail}`;
    return [{ depth, text, mark: isCited ? 'cited' : null }];
  }
  const heads = new Set(places.map(([head = '']) => head));
  const absent = [...heads].filter((head) => memberOf(value, head) === undefined);
  const inner = [
    ...around(members, places, depth + 1),
    ...absent.map(
      (head): ExcerptLine => ({ depth: depth + 1, text: `${label(head)}nothing`, mark: 'missing' }),
    ),
  ];
  return bracketed(value, inner, position);
}

/** Cited members with their neighbours; runs of others are counted. */
function around(
  members: readonly Member[],
  places: readonly (readonly string[])[],
  depth: number,
): ExcerptLine[] {
  const cited = members.flatMap(({ token }, n) => (places.some(([head]) => head === token) ? [n] : []));
  // A missing member is shown after the first ones, which tell what object it is.
  const anchors = cited.length > 0 ? cited : [0];
  const lines: ExcerptLine[] = [];
  let left = 0;
  for (const [n, { token, name, value }] of members.entries()) {
    if (!anchors.some((anchor) => Math.abs(anchor - n) <= NEAR)) {
      left += 1;
      continue;
    }
    lines.push(...elided(left, depth));
    left = 0;
    const below = places.filter(([head]) => head === token).map(([, ...rest]) => rest);
    lines.push(...linesOf(value, below, { depth, name, tail: n < members.length - 1 ? ',' : '' }));
  }
  return [...lines, ...elided(left, depth)];
}

/** A member of an object, or an element of a list. */
interface Member {
  /** As a JSON pointer names it. */
  readonly token: string;
  /** What is printed before its value. */
  readonly name: string;
  readonly value: Json;
}

/** Null where the value has no members. */
function membersOf(value: Json): readonly Member[] | null {
  if (value === null || typeof value !== 'object') return null;
  if (isArray(value)) return value.map((element, n) => ({ token: String(n), name: '', value: element }));
  return Object.entries(value).map(([key, member]) => ({ token: key, name: label(key), value: member }));
}

function label(key: string): string {
  return `${printable(JSON.stringify(key))}: `;
}

/** Lines between the brackets of an object or a list. */
function bracketed(
  value: Json,
  lines: readonly ExcerptLine[],
  { depth, name, tail }: Position,
): ExcerptLine[] {
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return [
    { depth, text: `${name}${open}`, mark: null },
    ...lines,
    { depth, text: `${close}${tail}`, mark: null },
  ];
}

/** A line for members that are not shown. */
function elided(count: number, depth: number): ExcerptLine[] {
  return count <= 0 ? [] : [{ depth, text: `… ${count} more`, mark: null }];
}
