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

/** Formats whose lists are complete, the most readable first. */
export const COMPLETE_FORMATS = ['html', 'json'] as const;
/** Formats that list findings and choices, the most readable first. Markdown truncates long lists. */
const LISTING_FORMATS = ['html', 'markdown', 'json'] as const;

/** The beginning of a sentence: `assay-report/report.html lists`, or `--report html lists` if there is no such file. */
export function fileListsWords(
  written: readonly WrittenFile[],
  formats: readonly FileFormat[] = LISTING_FORMATS,
): string {
  return `${firstWritten(written, formats)?.path ?? '--report html'} lists`;
}

/** `… and 12 more, in assay-report/report.html`; if no such file was written, names the option that writes it. */
export function moreWords(hidden: number, written: readonly WrittenFile[]): string {
  const file = firstWritten(written, COMPLETE_FORMATS);
  return `… and ${hidden} more${file === undefined ? '; --report html lists them' : `, in ${file.path}`}`;
}

function firstWritten(written: readonly WrittenFile[], formats: readonly FileFormat[]) {
  return formats.flatMap((format) => written.find((file) => file.format === format) ?? [])[0];
}
