import { printable } from '../../exchange/printable.ts';
import { byFamily } from '../counts.ts';
import { printableReport } from '../printable-report.ts';
import type { Report } from '../report.ts';
import { type Support, supportTable } from '../support/support.ts';
import { scoreLine, verdictSentence } from '../verdict-sentence.ts';

/** Several reports side by side: families, then requirements and choices in which services differ. */
export interface Matrix {
  readonly services: readonly { readonly name: string; readonly verdict: string; readonly score: string }[];
  /** One cell per service; null if the service does not claim the family. */
  readonly families: readonly { readonly family: string; readonly cells: readonly (MatrixCell | null)[] }[];
  /** One verdict per service; null if its report does not know the requirement. */
  readonly differing: readonly {
    readonly id: string;
    readonly says: string;
    readonly verdicts: readonly (string | null)[];
  }[];
  /** The treatment of a request field by each service, for fields that at least one report shows. */
  readonly support: readonly {
    readonly operation: string;
    readonly field: string;
    readonly cells: readonly Support[];
  }[];
  /** The alternatives that each service takes; null if its traffic shows none. */
  readonly choices: readonly {
    readonly id: string;
    readonly says: string;
    readonly taken: readonly (string | null)[];
  }[];
}

export interface MatrixCell {
  /** Requirements that pass, that are in scope, and that fail. */
  readonly pass: number;
  readonly total: number;
  readonly fail: number;
}

export function makeMatrix(given: readonly { readonly name: string; readonly report: Report }[]): Matrix {
  const services = given.map(({ name, report }) => ({
    name: printable(name),
    report: printableReport(report),
  }));
  const reports = services.map(({ report }) => report);
  return {
    services: services.map(({ name, report }) => ({
      name,
      verdict: verdictSentence(report),
      score: scoreLine(report),
    })),
    families: families(reports),
    differing: differing(reports),
    support: support(reports),
    choices: choices(reports),
  };
}

/**
 * Leaves out the families, and the fields of requests, in which all services are equal. Requirements that one service fails
 * and another one passes come first.
 */
export function onlyDifferences(matrix: Matrix): Matrix {
  const isDifferent = ({ cells }: { readonly cells: readonly unknown[] }) =>
    new Set(cells.map((cell) => JSON.stringify(cell))).size > 1;
  return {
    ...matrix,
    families: matrix.families.filter(isDifferent),
    differing: [
      ...matrix.differing.filter(isContested),
      ...matrix.differing.filter((row) => !isContested(row)),
    ],
    support: matrix.support.filter(isDifferent),
  };
}

function isContested({ verdicts }: Matrix['differing'][number]): boolean {
  return verdicts.includes('fail') && verdicts.includes('pass');
}

function families(reports: readonly Report[]): Matrix['families'] {
  const rows = reports.map((report) => new Map(byFamily(report).map((row) => [row.family, row.counts])));
  return names(rows.map((row) => [...row.keys()])).map((family) => ({
    family,
    cells: rows.map((row) => {
      const counts = row.get(family);
      return counts === undefined ? null : { pass: counts.pass, total: counts.total, fail: counts.fail };
    }),
  }));
}

function differing(reports: readonly Report[]): Matrix['differing'] {
  const known = reports.map((report) => new Map(report.requirements.map((one) => [one.id, one])));
  return names(known.map((one) => [...one.keys()])).flatMap((id) => {
    const verdicts = known.map((one) => one.get(id)?.verdict ?? null);
    const says = known.find((one) => one.has(id))?.get(id)?.says ?? '';
    return new Set(verdicts).size > 1 ? [{ id, says, verdicts }] : [];
  });
}

function support(reports: readonly Report[]): Matrix['support'] {
  const tables = reports.map(supportTable);
  return (tables[0] ?? []).flatMap(({ operation, field }, row) => {
    const cells = tables.map((table) => table[row]?.support ?? 'not shown');
    return cells.every((cell) => cell === 'not shown') ? [] : [{ operation, field, cells }];
  });
}

function choices(reports: readonly Report[]): Matrix['choices'] {
  const known = reports.map((report) => new Map(report.choices.map((one) => [one.id, one])));
  return names(known.map((one) => [...one.keys()])).flatMap((id) => {
    const taken = known.map((one) => one.get(id)?.taken.toSorted().join(', ') || null);
    const says = known.find((one) => one.has(id))?.get(id)?.says ?? '';
    return new Set(taken).size > 1 ? [{ id, says, taken }] : [];
  });
}

function names(lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())];
}
