import type { Settings } from '../../drive/configuration/configuration.ts';
import type { Report } from '../../reports/report.ts';
import { judgeRecorded } from '../judging/judge-recorded.ts';
import { makeReportWithEvidence } from '../report/make-report.ts';
import { openRecordedTraffic } from '../traffic/recorded-traffic.ts';

export async function reportOfCassette(cassette: string, configuration: Settings): Promise<Report> {
  const traffic = await openRecordedTraffic([cassette]);
  try {
    const judgedTrace = await judgeRecorded(traffic, { dialect: null });
    return makeReportWithEvidence(judgedTrace, traffic, {
      configuration,
      known: { baseline: null, write: null },
      began: null,
      cassette: { words: cassette, relative: null },
    }).report;
  } finally {
    traffic.close();
  }
}
