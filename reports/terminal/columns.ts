import { wrapList } from './wrap.ts';

/**
 * Rows of cells as lines, each column as wide as its widest cell. The last one, a list with commas, is not padded; where a
 * terminal of `width` columns would break it, it goes on below itself.
 */
export function columns(rows: readonly (readonly string[])[], width: number | null = null): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, index) =>
    rows.reduce((widest, row) => Math.max(widest, row[index]?.length ?? 0), 0),
  );
  return rows.flatMap((row) => {
    const cells = row.map((cell, index) =>
      index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0),
    );
    const line = cells.join('  ').trimEnd();
    if (width === null || line.length <= width) return [line];
    const start = cells.slice(0, -1).join('  ');
    const parts = wrapList((row.at(-1) ?? '').split(', '), Math.max(width - start.length - 2, 20));
    return parts.map((part, n) => (n === 0 ? `${start}  ${part}` : ' '.repeat(start.length + 2) + part));
  });
}
