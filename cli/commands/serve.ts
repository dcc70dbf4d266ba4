import { shellQuote } from '../../exchange/shell-quote.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import { groupBy } from '../../schemas/maps.ts';
import { readChoices } from '../options/choices.ts';
import type { Execute } from '../options/command.ts';
import { readKey } from '../options/credentials.ts';
import { type DisturbFlags, printDisturbances, withDisturbances } from '../serving/disturbing.ts';
import { serveUntilStopped } from '../serving/serving.ts';

interface Flags extends DisturbFlags {
  readonly port: number;
  readonly seed?: number;
  readonly stateDelay?: number;
  readonly fault?: readonly string[];
  readonly choices?: string;
  readonly apiKeyEnv?: string;
  readonly secondKeyEnv?: string;
  readonly betaHeader?: string;
}

/** Part of the id of each requirement that a fault can break and only scenarios of the cost class `large` show. */
const SIZE_LIMIT = '#maxBytes.';

export const execute: Execute<Flags> = async ({ flags, command }) => {
  if (flags.disturb === 'list') return printDisturbances();
  if (flags.fault?.includes('list')) return printFaults();
  return flags.choices === 'list' ? printChoices() : serve(flags, command);
};

async function serve(flags: Flags, command: readonly string[]): Promise<number> {
  const { startReference } = await import('../../pipeline/faulty-reference/faulty-reference.ts');
  const fault = flags.fault?.join(',');
  const reference = await startReference({
    port: flags.disturb === undefined ? flags.port : 0,
    seed: flags.seed,
    stateDelay: flags.stateDelay,
    fault,
    choices: flags.choices === undefined ? undefined : await readChoices(flags.choices),
    betaHeader: flags.betaHeader,
    ...readKeys(flags),
  });
  if (fault !== undefined) process.stderr.write(await faultNotice(fault, reference.url, flags));
  // With a command, the output belongs to the command.
  const modelsLine = command.length === 0 ? await modelsNotice() : '';
  const announce = (url: string, stream: NodeJS.WriteStream) => {
    stream.write(`${url}\n`);
    process.stderr.write(modelsLine);
  };
  try {
    return await withDisturbances(reference, flags, (service) =>
      serveUntilStopped(service, command, announce),
    );
  } finally {
    await reference.close();
  }
}

function readKeys({ apiKeyEnv, secondKeyEnv }: Flags) {
  if (apiKeyEnv === undefined) {
    if (secondKeyEnv === undefined) return {};
    throw new UsageError(
      '--second-key-env needs --api-key-env: without the key of the first organization, every key would belong to it.',
    );
  }
  const apiKey = readKey(apiKeyEnv);
  if (secondKeyEnv === undefined) return { apiKey };
  const secondKey = readKey(secondKeyEnv, '--second-key-env');
  if (secondKey === apiKey)
    throw new UsageError(
      `${secondKeyEnv} and ${apiKeyEnv} contain the same key: --second-key-env needs one of another organization.`,
    );
  return { apiKey, secondKey };
}

async function modelsNotice(): Promise<string> {
  const { modelRoles } = await import('../../reference/model/catalogue.ts');
  const byModel = groupBy(Object.entries(modelRoles), ([, model]) => model);
  const models = [...byModel].map(([model, rows]) => `${model} (${rows.map(([role]) => role).join(', ')})`);
  return `models: ${models.join(', ')}; GET /v1/models lists all\n`;
}

async function printFaults(): Promise<number> {
  const { knownFaults } = await import('../../reference/faults/known.ts');
  const { GENERIC_FAULTS } = await import('../../pipeline/faulty-reference/live-fault.ts');
  for (const { id, says, requirement, hides, filed } of knownFaults) {
    const breaks = requirement === null ? '' : `\n      breaks ${requirement}`;
    const hidden = hides === undefined ? '' : `\n      hides ${hides}`;
    const source = filed === undefined ? '' : `\n      filed as ${filed}`;
    process.stdout.write(`  ${id}  ${says}${breaks}${hidden}${source}\n`);
  }
  process.stdout.write('\nany operation\n');
  for (const [kind, { says }] of Object.entries(GENERIC_FAULTS))
    process.stdout.write(`  ${kind}:OPERATION  ${says}\n`);
  process.stdout.write(
    '  ignore:OPERATION.FIELD  validates a field of the body or the query, and ignores it\n' +
      '\nany requirement (assay list prints them)\n' +
      '  REQUIREMENT  applies the first change that makes an answer break it\n' +
      '  REQUIREMENT/CHANGE  applies the change of that name\n',
  );
  return 0;
}

async function printChoices(): Promise<number> {
  const { choiceTable } = await import('../../reference/choices/table.ts');
  for (const [id, { usual, others }] of Object.entries(choiceTable)) {
    const lines = Object.keys(others).map((name) => `      ${name}\n`);
    process.stdout.write(`  ${id}  ${usual}\n${lines.join('')}`);
  }
  return 0;
}

async function faultNotice(
  ids: string,
  url: string,
  { betaHeader, apiKeyEnv, secondKeyEnv }: Flags,
): Promise<string> {
  const { readFaults } = await import('../../pipeline/faulty-reference/faulty-reference.ts');
  const { COST_CLASSES } = await import('../../drive/configuration/settings.ts');
  const { modelRoles } = await import('../../reference/model/catalogue.ts');
  const { referenceFaults, responseFaults } = await readFaults(ids, betaHeader);
  const globs = [
    ...referenceFaults.flatMap(({ requirement, hides = null }) => requirement ?? hides ?? []),
    ...responseFaults.flatMap(({ requirement }) => requirement ?? []),
  ];
  // Without all models and costs, scenarios that show the fault could be skipped; `large` sends files of 512 MB.
  const costs = COST_CLASSES.filter(
    (cost) => cost !== 'free' && (cost !== 'large' || globs.some((id) => id.includes(SIZE_LIMIT))),
  );
  const models = Object.entries(modelRoles).map(([role, model]) => `${role}=${model}`);
  const command = [
    `npx assay run --base-url ${url} ${globs.map((one) => `--only ${shellQuote(one)}`).join(' ')}`,
    `--allow ${costs.join(',')}`,
    `--model ${models.join(',')}`,
    ...(apiKeyEnv === undefined ? [] : [`--api-key-env ${apiKeyEnv}`]),
    ...(secondKeyEnv === undefined ? [] : [`--second-key-env ${secondKeyEnv}`]),
    ...(betaHeader === undefined ? [] : [`--beta-header ${shellQuote(betaHeader)}`]),
  ];
  const hint = globs.length === 0 ? '' : `this command detects it:\n${command.join(' ')}\n`;
  return `${[...referenceFaults, ...responseFaults].map(({ says }) => `injected fault: ${says}\n`).join('')}${hint}`;
}
