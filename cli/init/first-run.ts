import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Settings } from '../../drive/configuration/configuration.ts';
import { isFile, readRegularFile } from '../../exchange/regular-file.ts';
import { writeNamedFile } from '../../exchange/replace-file.ts';
import { usualChoices } from '../../judge/baseline/make-baseline.ts';
import type { FirstBaseline } from '../../pipeline/init/workflows.ts';
import { dayAfter, readKnownFailures, UNREVIEWED_DAYS } from '../../pipeline/report/known-failures.ts';
import type { WrittenBaseline } from '../../pipeline/report/written-baseline.ts';
import type { Report } from '../../reports/report.ts';
import { STOP_CLAUSES } from '../../reports/words/cause.ts';
import { compact, plural } from '../../schemas/message-text.ts';
import { readCommandSettings } from '../options/settings.ts';
import { shownWords } from '../output/baseline-lines.ts';
import { nextLinesWithoutBaseline, printFirstScreen } from '../output/print-report.ts';
import { colourMode } from '../output/terminal.ts';

const BASELINE_FILE = 'assay-baseline.json';

export interface FirstRun {
  /** 2 after an interruption, 0 if the written baseline makes the gate green, else the exit code of the run. */
  readonly exitCode: number;
  readonly endedEarly: string | null;
  readonly accepted: FirstBaseline | null;
  readonly lines: readonly string[];
  readonly next?: readonly string[];
}

/**
 * Runs against the service as configured, and writes a baseline: if the gate is not green, one that expires, unless no
 * baseline can make it green; if it is, one that only records choices, unless there are none or a baseline exists.
 * A run that ends early writes none.
 */
export async function judgeFirstRun(self: Command): Promise<FirstRun> {
  const configured = await readCommandSettings(self, { claim: 'auto' });
  const settings = { ...configured, report: ['json', 'html'] as const };
  // A baseline that cannot be extended is rejected before the run, which may take minutes.
  readKnownFailures(null, { baselineWrite: BASELINE_FILE });
  const [{ run }, { ProgressDisplay }, { abortOnStopSignal }] = await Promise.all([
    import('../../pipeline/run.ts'),
    import('../output/progress.ts'),
    import('../serving/serving.ts'),
  ]);
  const display = new ProgressDisplay(process.stderr, colourMode(process.stderr, settings.color));
  const { signal, release } = abortOnStopSignal();
  let next: readonly string[] = [];
  try {
    const { report } = await run(settings, {
      signal,
      onEvent: (event) => display.show(event),
      onReport: (finished, written, configuration) => {
        printFirstScreen(finished, written, configuration);
        // The cassette, whose exchanges the commands need, is open only during this call.
        next = nextLinesWithoutBaseline(finished, configuration.color);
      },
    });
    const { exitCode } = report.summary;
    const endEarly = (endedEarly: string) => ({ exitCode, endedEarly, accepted: null, lines: [], next });
    if (signal.aborted) return { ...endEarly('the run was interrupted'), exitCode: 2 };
    if (report.stopReason !== 'completed') return endEarly(STOP_CLAUSES[report.stopReason]);
    if (exitCode === 0) return describeGreenRun(recordChoices(report));
    const until = dayAfter(UNREVIEWED_DAYS);
    const { draft, reasons } = await draftBaseline(settings, until);
    if (signal.aborted) return { ...endEarly('the run was interrupted'), exitCode: 2 };
    if (draft === null) {
      const lines = [
        'the gate is not green today, and no baseline was written, because a baseline cannot accept this:',
        ...reasons.map((reason) => `  ${reason}`),
      ];
      return { exitCode, endedEarly: null, accepted: null, lines, next };
    }
    writeNamedFile(BASELINE_FILE, draft.text);
    const lines = [
      `${BASELINE_FILE} accepts ${shownWords(draft.written)} until ${until}: the gate is green today, and only what is new fails`,
      'stricter: --strict-baseline fails for entries whose failure is gone, --fail-on should for SHOULDs, too; without "baseline" in assay.config.json, nothing is accepted',
    ];
    return { exitCode: 0, endedEarly: null, accepted: { path: BASELINE_FILE, until }, lines };
  } finally {
    release();
    display.clear();
  }
}

function describeGreenRun(choiceCount: number): FirstRun {
  return {
    exitCode: 0,
    endedEarly: null,
    accepted: choiceCount === 0 ? null : { path: BASELINE_FILE, until: null },
    lines: compact(
      'the gate is green',
      choiceCount > 0 &&
        `${BASELINE_FILE} records ${plural(choiceCount, 'choice')} in which most services agree: a run names those that change`,
      'stricter: --fail-on should fails for SHOULDs, too, which are warnings otherwise',
    ),
  };
}

async function draftBaseline(
  settings: Settings,
  expires: string,
): Promise<{ draft: { written: WrittenBaseline; text: string } | null; reasons: readonly string[] }> {
  const { judgeRecordings } = await import('../../pipeline/check.ts');
  // Judging writes the baseline before the verdict is known, so it writes to a temporary folder.
  const folder = mkdtempSync(join(tmpdir(), 'assay-init-'));
  const path = join(folder, BASELINE_FILE);
  try {
    const isExtended = isFile(BASELINE_FILE);
    if (isExtended) copyFileSync(BASELINE_FILE, path);
    let written = null as WrittenBaseline | null; // as: a callback assigns it
    const { summary } = await judgeRecordings(
      [join(settings.reportDir, 'cassette')],
      { ...settings, report: [], ...(isExtended && { baseline: null }) },
      {
        baselineWrite: path,
        baselineReason: `accepted on the day of assay init, ${dayAfter(0)}`,
        baselineExpires: expires,
        onReport: ({ baseline }) => {
          written = baseline;
        },
      },
    );
    const draft =
      summary.exitCode === 0 && written !== null ? { written, text: readRegularFile(path) } : null;
    return { draft, reasons: summary.reasons };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the number of choices written; 0 if there are none or a baseline exists. */
function recordChoices(report: Pick<Report, 'choices'>): number {
  const choices = usualChoices(report);
  const count = Object.keys(choices).length;
  if (count === 0 || existsSync(BASELINE_FILE)) return 0;
  writeNamedFile(BASELINE_FILE, `${JSON.stringify({ format: 1, known: [], choices }, null, 2)}\n`);
  return count;
}
