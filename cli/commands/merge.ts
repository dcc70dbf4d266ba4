import { mergePartials } from '../../pipeline/partial-check.ts';
import type { Execute } from '../options/command.ts';
import { settingsOf } from '../options/settings.ts';
import { printReport } from '../output/print-report.ts';

interface Flags {
  readonly baselineWrite?: string;
  readonly baselineReason?: string;
}

export const execute: Execute<Flags> = async ({ args: files, flags, self }) => {
  const settings = await settingsOf(self, { sendsKey: false });
  const hasOutputFlags = ['report', 'reportDir'].some((name) => self.getOptionValueSource(name) === 'cli');
  const { baselineWrite, baselineReason } = flags;
  const report = await mergePartials(
    files,
    hasOutputFlags ? settings : { ...settings, report: ['terminal'] },
    { baselineWrite, baselineReason, onReport: printReport },
  );
  return report.summary.exitCode;
};
