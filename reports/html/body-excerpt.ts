import { briefJson, printable } from '../../exchange/printable.ts';
import { isJsonList, type Json } from '../../schemas/json.ts';
import { memberOf } from '../failure/excerpt.ts';

export interface ExcerptLine {
  readonly depth: number;
  readonly text: string;
  /** `cited`: the value of a finding. `missing`: a cited member that is absent. */
  readonly mark: 'cited' | 'missing' | null;
}

const NEIGHBOURS = 2;
const MAX_MEMBERS = 14;
/** Maximum lengths of a cited value and of any other value, in characters. */
const CITED_LENGTH = 240;
const OTHER_LENGTH = 72;
const MAX_LINES = 28;

interface Position {
  readonly depth: number;
  /** `"id": `, or empty for an element of a list. */
  readonly label: string;
  readonly tail: string;
}

const ROOT: Position = { depth: 0, label: '', tail: '' };

/**
 * The lines around the places, or the first members of the body if none is inside it. Places are tokens of JSON
 * pointers, in which a star is any element of a list. Safe to print.
 */
export function bodyExcerpt(value: Json, places: readonly (readonly string[])[]): readonly ExcerptLine[] {
  const innerPlaces = places.filter(({ length }) => length > 0);
  const isCited = places.length > 0;
  const lines = innerPlaces.length === 0 ? wholeBody(value, isCited) : linesOf(value, innerPlaces, ROOT);
  return lines.length <= MAX_LINES
    ? lines
    : [...lines.slice(0, MAX_LINES), { depth: 0, text: '…', mark: null }];
}

function wholeBody(value: Json, isCited: boolean): ExcerptLine[] {
  const members = membersOf(value);
  if (members === null)
    return [{ depth: 0, text: briefJson(value, CITED_LENGTH), mark: isCited ? 'cited' : null }];
  const lines = members.slice(0, MAX_MEMBERS).flatMap(({ label, value: member }, n) => {
    return linesOf(member, [], { depth: 1, label, tail: n < members.length - 1 ? ',' : '' });
  });
  return wrapInBrackets(value, [...lines, ...elisionLine(members.length - MAX_MEMBERS, 1)], ROOT);
}

function linesOf(value: Json, places: readonly (readonly string[])[], position: Position): ExcerptLine[] {
  const { depth, label, tail } = position;
  const members = membersOf(value);
  const endsHere = ([head]: readonly string[]) => head === undefined || (head === '*' && isJsonList(value));
  if (members === null || places.length === 0 || places.some(endsHere)) {
    const isCited = places.length > 0;
    const text = `${label}${briefJson(value, isCited ? CITED_LENGTH : OTHER_LENGTH)}${tail}`;
    return [{ depth, text, mark: isCited ? 'cited' : null }];
  }
  const heads = new Set(places.map(([head = '']) => head));
  const absent = [...heads].filter((head) => memberOf(value, head) === undefined);
  const missing = absent.map((head): ExcerptLine => {
    return { depth: depth + 1, text: `${labelOf(head)}nothing`, mark: 'missing' };
  });
  return wrapInBrackets(value, [...linesAround(members, places, depth + 1), ...missing], position);
}

function linesAround(
  members: readonly Member[],
  places: readonly (readonly string[])[],
  depth: number,
): ExcerptLine[] {
  const cited = members.flatMap(({ token }, n) => (places.some(([head]) => head === token) ? [n] : []));
  // If all cited members are missing, the first members are shown, because they identify the object.
  const anchors = cited.length > 0 ? cited : [0];
  const lines: ExcerptLine[] = [];
  let skipped = 0;
  for (const [n, { token, label, value }] of members.entries()) {
    if (!anchors.some((anchor) => Math.abs(anchor - n) <= NEIGHBOURS)) {
      skipped += 1;
      continue;
    }
    lines.push(...elisionLine(skipped, depth));
    skipped = 0;
    const innerPlaces = places.filter(([head]) => head === token).map(([, ...inner]) => inner);
    lines.push(...linesOf(value, innerPlaces, { depth, label, tail: n < members.length - 1 ? ',' : '' }));
  }
  return [...lines, ...elisionLine(skipped, depth)];
}

interface Member {
  readonly token: string;
  readonly label: string;
  readonly value: Json;
}

function membersOf(value: Json): readonly Member[] | null {
  if (value === null || typeof value !== 'object') return null;
  if (isJsonList(value)) return value.map((element, n) => ({ token: String(n), label: '', value: element }));
  return Object.entries(value).map(([key, member]) => ({ token: key, label: labelOf(key), value: member }));
}

function labelOf(key: string): string {
  return `${printable(JSON.stringify(key))}: `;
}

function wrapInBrackets(
  value: Json,
  lines: readonly ExcerptLine[],
  { depth, label, tail }: Position,
): ExcerptLine[] {
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return [
    { depth, text: `${label}${open}`, mark: null },
    ...lines,
    { depth, text: `${close}${tail}`, mark: null },
  ];
}

function elisionLine(count: number, depth: number): ExcerptLine[] {
  return count <= 0 ? [] : [{ depth, text: `… ${count} more`, mark: null }];
}
