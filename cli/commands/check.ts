import type { JudgedSide } from '../../judge/requirements/requirement.ts';
import { judgeRecordings } from '../../pipeline/check.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import type { RecordedTraffic } from '../../pipeline/traffic/recorded-traffic.ts';
import type { Execute } from '../options/command.ts';
import { settingsOf } from '../options/settings.ts';
import { printReport } from '../output/print-report.ts';
import { harNotices } from '../output/run-notices.ts';
import { tuneForShortRun, tuneForSmallHeap } from '../serving/engine-tuning.ts';

/**
 * Beyond these numbers a small heap matters more than fast startup. V8 flags only affect later compilation
 * and growth, so they are set before judging.
 */
const MANY = { exchanges: 20_000, files: 500 } as const;

interface Flags {
  readonly side: JudgedSide;
  readonly disturbed?: true;
  readonly baselineWrite?: string;
  readonly baselineReason?: string;
  readonly partial?: string;
  readonly before: number;
  readonly jobs: number;
}

/**
 * Writes report files only for `--report` or `--report-dir`: checking old traffic must not replace the report
 * of a run by accident.
 */
export const execute: Execute<Flags> = async ({ args: paths, flags, self }) => {
  const settings = await settingsOf(self, { sendsKey: false });
  const hasOutputFlags = ['report', 'reportDir'].some((name) => self.getOptionValueSource(name) === 'cli');
  const { baselineWrite, baselineReason, partial, before, jobs, side, disturbed } = flags;
  const onOpened = ({ size, har }: RecordedTraffic): void => {
    process.stderr.write(harNotices(har));
    if (size > MANY.exchanges || har.length > MANY.files) tuneForSmallHeap();
    else tuneForShortRun();
  };
  if (partial !== undefined) {
    if (jobs > 1)
      throw new UsageError('--partial and --jobs do not go together: judge several parts at the same time.');
    const { judgePartially } = await import('../../pipeline/partial-check.ts');
    await judgePartially(paths, settings, { out: partial, side, disturbed, before, onOpened });
    return 0;
  }
  const report = await judgeRecordings(
    paths,
    hasOutputFlags ? settings : { ...settings, report: ['terminal'] },
    { side, disturbed, jobs, baselineWrite, baselineReason, onOpened, onReport: printReport },
  );
  return report.summary.exitCode;
};
