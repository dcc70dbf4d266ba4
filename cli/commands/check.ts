import type { JudgedSide } from '../../judge/requirements/requirement.ts';
import { judgeRecordings } from '../../pipeline/check.ts';
import type { BaselineOutput } from '../../pipeline/report/known-failures.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import type { RecordedTraffic } from '../../pipeline/traffic/recorded-traffic.ts';
import type { Execute } from '../options/command.ts';
import { readCheckSettings } from '../options/settings.ts';
import { importNotices } from '../output/import-notices.ts';
import { printReport } from '../output/print-report.ts';
import { tuneForLongCheck, tuneForShortRun } from '../serving/engine-tuning.ts';

/** Beyond this many exchanges or imported files, a small heap matters more than speed. */
const LONG_CHECK = { exchanges: 20_000, files: 500 } as const;

interface Flags extends BaselineOutput {
  readonly side: JudgedSide;
  readonly disturbed?: true;
  readonly partial?: string;
  readonly before: number;
  readonly jobs: number;
  readonly apiRoot?: string;
}

export const execute: Execute<Flags> = async ({ args: paths, flags, self }) => {
  const settings = await readCheckSettings(self);
  const { partial, before, ...options } = flags;
  const { jobs, side, disturbed, apiRoot, baselineWrite } = options;
  const onOpened = ({ size, imported }: RecordedTraffic): void => {
    process.stderr.write(importNotices(imported));
    if (size > LONG_CHECK.exchanges || imported.length > LONG_CHECK.files) tuneForLongCheck();
    else tuneForShortRun();
  };
  if (partial !== undefined) {
    if (jobs > 1)
      throw new UsageError(
        '--partial excludes --jobs. Leave --jobs out; to use several cores, judge several parts at the same time.',
      );
    if (baselineWrite !== undefined)
      throw new UsageError(
        '--partial excludes --baseline-write. Give --baseline-write to assay merge, which judges all parts.',
      );
    const { judgePartially } = await import('../../pipeline/partial-check.ts');
    await judgePartially(paths, settings, { out: partial, side, disturbed, apiRoot, before, onOpened });
    return 0;
  }
  const report = await judgeRecordings(paths, settings, { ...options, onOpened, onReport: printReport });
  return report.summary.exitCode;
};
