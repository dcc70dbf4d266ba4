import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Settings } from '../drive/configuration/configuration.ts';
import { configFile } from './config-file.ts';
import { collectRepeated } from './flag-values.ts';

/** The exit codes of every command that judges. */
export const VERDICT_EXIT_CODES =
  '0 where the target conforms, 1 where it does not, 2 where that cannot be told';

/** Flags of what is judged and what is written, shared by `run`, `check` and `watch`. */
export function addJudgingFlags(command: Command): Command {
  return command
    .option(
      '--dialect <name>',
      'what such services do otherwise: openai, or a file (the specification as it is)',
    )
    .option('--fail-on <level>', 'what turns the run red: must, should or never (must)')
    .option('--allow-inconclusive', 'let by MUSTs that could not be decided')
    .option('--baseline <file>', 'known failures, which do not break the gate')
    .option('--baseline-write <file>', 'write what is broken as a baseline, reasons to be filled in')
    .option('--report <list>', 'terminal, json, junit, html, markdown, ctrf, badge, github (the first three)')
    .option('--report-dir <dir>', 'where reports go (assay-report)')
    .option('--no-color', 'print without colours');
}

/** Flags of what is asked of the target. */
export function addTargetFlags(command: Command): Command {
  return command
    .option('--base-url <url>', 'the target, with or without /v1 (the embedded reference)')
    .option('--api-key-env <name>', 'variable that holds the key (ASSAY_API_KEY, then OPENAI_API_KEY)')
    .option('--header <line>', 'sent with every request: "Name: value"; may be repeated', collectRepeated)
    .option('--beta-header <name>', 'name of the beta header (Vendor-Beta)')
    .option('--model <role=id>', 'model of a role, such as chat=my-model; may be repeated', collectRepeated)
    .option('--claim <families>', 'judge only these families, or auto to find out (all)')
    .option('--only <glob>', 'only requirements that match, or @file; may be repeated', collectRepeated)
    .option('--skip <glob>', 'leave out requirements that match, or @file; may be repeated', collectRepeated)
    .option('--scenario <glob>', 'run only scenarios of this name; may be repeated', collectRepeated)
    .option(
      '--allow <costs>',
      'beside tokens: images, audio, training, batches, bulk, large; none,… for these only',
    )
    .option('--max-requests <n>', 'stop after so many requests')
    .option('--max-tokens <n>', 'stop after so many tokens')
    .option('--rate-limit <n>', 'requests per second')
    .option('--concurrency <n>', 'scenarios at a time (16 embedded, 4 remote)')
    .option('--timeout <s>', 'seconds for one exchange (60)')
    .option('--wait-for <s>', 'seconds to wait for the target to come up (0)')
    .option('--shard <i/n>', 'run one of n parts of the scenarios')
    .option('--resume <dir>', 'go on with what the run in this report folder waited for in vain')
    .option('--dry-run', 'say what would run and what it would cost, counted on the reference, and stop')
    .option('--trace', 'print every exchange of the run');
}

/** Flags that are no settings. */
const ELSEWHERE = new Set(['allowHost', 'allowOrigin', 'baselineWrite', 'resume']);

/**
 * The settings of a command: flag, then `ASSAY_X_Y`, then `assay.config.ts|json` of the working directory.
 * Throws ConfigurationError.
 */
export async function settingsOf(command: Command): Promise<Settings> {
  const { readSettings } = await import('../drive/configuration/settings.ts');
  const given = Object.entries(command.opts()).filter(
    // Commander has a default for --no-color; only what was typed counts here.
    ([name]) => command.getOptionValueSource(name) === 'cli' && !ELSEWHERE.has(name),
  );
  return readSettings({
    flags: Object.fromEntries(given),
    env: process.env,
    file: await configFile(process.cwd()),
    readText: (path) => readFileSync(path, 'utf8'),
  });
}
