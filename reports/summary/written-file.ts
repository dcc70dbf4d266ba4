export interface WrittenFile {
  /** The format as in `--report`; `baseline` for the file of `--baseline-write`. */
  readonly format: FileFormat | 'baseline';
  /** Path relative to the working directory. */
  readonly path: string;
}

export type FileFormat =
  | 'json'
  | 'junit'
  | 'html'
  | 'markdown'
  | 'ctrf'
  | 'badge'
  | 'sarif'
  | 'allure'
  | 'otlp'
  | 'support'
  | 'comment';

/** Formats that list every requirement, the most readable first. Markdown truncates long lists. */
export const COMPLETE = ['html', 'json'] as const;
const READABLE = ['html', 'markdown', 'json'] as const;

/** `assay-report/report.html lists`. */
export function listedIn(written: readonly WrittenFile[], formats: readonly FileFormat[] = READABLE): string {
  const files = formats.flatMap((format) => written.find((file) => file.format === format) ?? []);
  return files[0] === undefined ? '--report html lists' : `${files[0].path} lists`;
}

/** `… and 12 more, in assay-report/report.html`; if no such file was written, the option that writes it. */
export function moreIn(rest: number, written: readonly WrittenFile[]): string {
  const file = COMPLETE.flatMap((format) => written.find((one) => one.format === format) ?? [])[0];
  return `… and ${rest} more${file === undefined ? '; --report html lists them' : `, in ${file.path}`}`;
}
