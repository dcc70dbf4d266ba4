import { performance } from 'node:perf_hooks';
import type { RunConfiguration } from '../drive/configuration.ts';
import { cassetteOf, type Progress, type RunResult, runScenarios } from '../drive/run.ts';
import type { Dialect } from '../judge/dialect.ts';
import { quarantineWords } from '../proxy/recorder-words.ts';
import { quote } from '../reports/again.ts';
import { printable } from '../reports/excerpt.ts';
import { traceLines } from '../reports/trace.ts';
import { Alongside } from './alongside.ts';
import { openRecorded, type Recorded } from './cassettes.ts';
import { crashedLines } from './crashed.ts';
import { keepEarlierLedger } from './earlier-ledger.ts';
import { conclude, judgeRecorded, prepareJudging } from './judging.ts';
import type { KnownFailures } from './known-failures.ts';
import { ProgressDisplay } from './progress.ts';
import { LOG_WIDTH, publish, takeAway, takeAwayReports } from './publish.ts';
import { interruption } from './serving.ts';

/**
 * Drives, then judges the cassette that driving left, by the same function as `check`. Answers with the exit code.
 * `resume`: the report folder is that of an earlier run, to go on with.
 */
export async function wholeRun(
  configuration: RunConfiguration,
  known: KnownFailures,
  dialect: Dialect | null,
  resume = false,
): Promise<number> {
  if (resume) takeAwayReports(configuration.reportDir);
  else {
    takeAway(configuration.reportDir);
    keepEarlierLedger(configuration.reportDir);
  }
  const began = performance.now();
  const alongside = new Alongside(dialect);
  const result = await drive(configuration, resume, alongside);
  tell(result, configuration);
  const recorded = await openRecorded([result.cassette]);
  if (configuration.claim === 'auto') process.stderr.write(assumed(recorded));
  try {
    if (configuration.trace) await printTrace(recorded);
    const cassette = { shown: quote(result.cassette), relative: 'cassette' };
    const about = { settings: configuration, known, began, cassette };
    // What was judged alongside may hold a secret that nobody knew then; in the cassette it is replaced.
    const seen = result.learnedLate || result.quarantined !== null ? null : await alongside.judged();
    const judged =
      seen === null
        ? await judgeRecorded(recorded, { ...about, dialect })
        : await conclude(seen.judgement, recorded, seen.header, about);
    publish(judged, configuration);
    if (result.quarantined !== null) process.stderr.write(`${quarantineWords(result.quarantined)}\n`);
    return result.quarantined === null ? judged.report.summary.exitCode : judged.report.summary.exitCode || 1;
  } finally {
    recorded.close();
  }
}

function assumed({ header }: Recorded): string {
  const { families } = header.claims;
  const found = families.length === 0 ? 'nothing' : families.join(',');
  return `--claim auto found ${found}: one cheap request of each family was answered as by a route that is there\n`;
}

async function drive(
  configuration: RunConfiguration,
  resume: boolean,
  alongside: Alongside,
): Promise<RunResult> {
  const display = new ProgressDisplay(process.stderr, configuration.color ? 'on' : 'off');
  const { signal, release } = interruption();
  const driven = new AbortController();
  let total = 0;
  const onProgress = (progress: Progress): void => {
    if (progress.kind === 'selected') {
      total = progress.run;
      // Of a run that is gone on with the journal holds the end only.
      if (!resume) alongside.begin(cassetteOf(configuration));
    }
    if (progress.kind === 'recorded') alongside.hurry();
    if (progress.kind === 'hint') {
      display.clear();
      process.stderr.write(`${printable(progress.message)}\n`);
    }
    if (progress.kind !== 'ended') return;
    display.show({
      done: progress.done,
      total,
      requests: progress.spent.requests,
      latest: progress.scenario,
    });
  };
  try {
    return await runScenarios(configuration, {
      onProgress,
      signal,
      resume,
      onListening: () => prepareJudging(driven.signal),
    });
  } finally {
    driven.abort();
    alongside.end();
    release();
    display.clear();
  }
}

/** Every exchange and every note of the run, as recorded: without secrets. */
async function printTrace(recorded: Recorded): Promise<void> {
  for (const trace of recorded.traces()) {
    for await (const item of trace) {
      for (const line of traceLines(item, process.stderr.columns ?? LOG_WIDTH))
        process.stderr.write(`${line}\n`);
    }
  }
}

/** What the trace does not hold: our own breakdowns, and what is still on the target. */
function tell(result: RunResult, { target, report, reportDir }: RunConfiguration): void {
  const { message, leftovers, ledger, waiting, stopReason } = result;
  // The verdict tells what is wrong with a target that cannot be used.
  const isToldBelow = report.includes('terminal') && /^target-/.test(stopReason);
  // The embedded service ends with the run, and everything on it.
  const left = target.embedded ? [] : leftovers;
  const lines = [
    ...(message === null || isToldBelow ? [] : [message]),
    ...crashedLines(result),
    ...left.map(
      ({ operation, id, why }) => `left on the target: ${id ?? 'unknown id'} of ${operation} (${why})`,
    ),
    ...(left.some(({ final }) => !final)
      ? [`try again to remove it with: npx assay cleanup --ledger ${quote(ledger)}`]
      : []),
    ...waiting.map(({ scenario, message }) => `${scenario} waits: ${printable(message)}`),
    ...(waiting.length > 0
      ? [
          `What waits stays on the target. Go on later with: npx assay run --resume ${quote(reportDir)}`,
          `or give it up and remove it with: npx assay cleanup --ledger ${quote(ledger)}`,
        ]
      : []),
  ];
  if (lines.length > 0) process.stderr.write(`${lines.join('\n')}\n`);
}
