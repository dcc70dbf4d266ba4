import type { Execute } from '../options/command.ts';
import { settingsOf } from '../options/settings.ts';

interface Flags {
  readonly baselineWrite?: string;
  readonly baselineReason?: string;
}

export const execute: Execute<Flags> = async ({ args: files, flags, self }) => {
  const settings = await settingsOf(self, { sendsKey: false });
  const hasOutputFlags = ['report', 'reportDir'].some((name) => self.getOptionValueSource(name) === 'cli');
  // Loaded here so that `assay merge --help` does not load the judge.
  const [{ mergePartials }, { printReport }] = await Promise.all([
    import('../../pipeline/partial-check.ts'),
    import('../output/print-report.ts'),
  ]);
  const { baselineWrite, baselineReason } = flags;
  const report = await mergePartials(
    files,
    hasOutputFlags ? settings : { ...settings, report: ['terminal'] },
    { baselineWrite, baselineReason, onReport: printReport },
  );
  return report.summary.exitCode;
};
