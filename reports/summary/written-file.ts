// The files that were written, as lines of the terminal name them.

/** A file that was written. `format` as in `--report`, or `baseline`. */
export interface WrittenFile {
  readonly format: FileFormat | 'baseline';
  /** As the user can open it, relative to the working directory. */
  readonly path: string;
}

/** Reports that are files. */
export type FileFormat =
  | 'json'
  | 'junit'
  | 'html'
  | 'markdown'
  | 'ctrf'
  | 'badge'
  | 'sarif'
  | 'allure'
  | 'otlp';

/** Formats that list every requirement, the one for people first; the summary in Markdown cuts long lists. */
export const WHOLE = ['html', 'json'] as const;
/** Formats that list every choice. */
const LISTING = ['html', 'markdown', 'json'] as const;

/** The report that lists them: `assay-report/report.html lists`. */
export function listedIn(written: readonly WrittenFile[], formats: readonly FileFormat[] = LISTING): string {
  const files = formats.flatMap((format) => written.find((file) => file.format === format) ?? []);
  return files[0] === undefined ? '--report html lists' : `${files[0].path} lists`;
}

/** The end of a list that is cut: `… and 12 more, in assay-report/report.html`; where no report has them, the option for one. */
export function moreIn(rest: number, written: readonly WrittenFile[]): string {
  const file = WHOLE.flatMap((format) => written.find((one) => one.format === format) ?? [])[0];
  return `… and ${rest} more${file === undefined ? '; --report html lists them' : `, in ${file.path}`}`;
}
