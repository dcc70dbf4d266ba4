import { mergePartials } from '../../pipeline/partial-check.ts';
import type { BaselineOutput } from '../../pipeline/report/known-failures.ts';
import type { Execute } from '../options/command.ts';
import { readCheckSettings } from '../options/settings.ts';
import { printReport } from '../output/print-report.ts';

export const execute: Execute<BaselineOutput> = async ({ args: files, flags, self }) => {
  const settings = await readCheckSettings(self);
  const report = await mergePartials(files, settings, { ...flags, onReport: printReport });
  return report.summary.exitCode;
};
