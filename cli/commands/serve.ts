import type { AddCommand } from '../command.ts';
import { keyFromVariable, parsePort, parseSeconds, parseWholeNumber } from '../flag-values.ts';
import { serveUntilStopped } from '../serving.ts';

interface Flags {
  readonly port: number;
  readonly seed?: number;
  readonly stateDelay?: number;
  readonly fault?: string;
  readonly apiKeyEnv?: string;
  readonly betaHeader?: string;
}

/** `assay serve`: the reference service, for clients to be tried against. */
export const serveCommand: AddCommand = (program, { finish, command }) => {
  program
    .command('serve')
    .description(
      'Serves the whole specification on 127.0.0.1, deterministically. Prints its URL as the first line; ' +
        'ends on Ctrl-C, or with the command given after --.',
    )
    .option('--port <n>', 'port to listen on', parsePort, 0)
    .option('--seed <n>', 'decides every identifier and every word', parseWholeNumber)
    .option(
      '--state-delay <s>',
      'seconds a resource stays in a state (default: until it is read)',
      parseSeconds,
    )
    .option('--fault <id>', 'misbehave on purpose, so that a failure can be seen; list prints all')
    .option('--api-key-env <name>', 'require the key in this variable (default: any key, or none)')
    .option('--beta-header <name>', 'name of the beta header that clients send (Vendor-Beta)')
    .usage('[options] [-- command]')
    .addHelpText(
      'after',
      `
Example:
  assay serve --port 8000
  assay serve -- npm test
  assay serve --fault list

A client, with assay serve --port 8000 --beta-header OpenAI-Beta:
  import OpenAI from 'openai';
  const client = new OpenAI({ baseURL: 'http://127.0.0.1:8000/v1', apiKey: 'any' });
  console.log((await client.models.list()).data);`,
    )
    .action(async (flags: Flags) => {
      if (flags.fault === 'list') return printFaults();
      const { startReference } = await import('../../reference/service.ts');
      const reference = await startReference({
        port: flags.port,
        seed: flags.seed,
        stateDelay: flags.stateDelay,
        fault: flags.fault,
        betaHeader: flags.betaHeader,
        apiKey: flags.apiKeyEnv === undefined ? undefined : keyFromVariable(flags.apiKeyEnv),
      });
      if (flags.fault !== undefined) await tellFault(flags.fault, reference.url);
      try {
        finish(await serveUntilStopped(reference, command));
      } finally {
        await reference.close();
      }
    });
};

/** Every fault by family: its id, what it does, and the requirement that it breaks. */
async function printFaults(): Promise<void> {
  const { knownFaults } = await import('../../reference/faults/known.ts');
  let family = '';
  for (const fault of await knownFaults()) {
    const head = fault.family === family ? '' : `${family === '' ? '' : '\n'}${fault.family}\n`;
    family = fault.family;
    const breaks = fault.requirement === null ? '' : `\n      breaks ${fault.requirement}`;
    process.stdout.write(`${head}  ${fault.id}  ${fault.says}${breaks}\n`);
  }
}

/** What is wrong on purpose, and the command that finds it. */
async function tellFault(id: string, url: string): Promise<void> {
  const { needFault } = await import('../../reference/faults/known.ts');
  const { modelRoles } = await import('../../reference/model/catalogue.ts');
  const { says, requirement } = await needFault(id);
  const models = Object.entries(modelRoles).map(([role, model]) => `${role}=${model}`);
  const found = [
    `npx assay run --base-url ${url} --only '${requirement}'`,
    '--allow tokens,images,audio,training,batches,bulk',
    `--model ${models.join(',')}`,
  ];
  const hint = requirement === null ? '' : `this finds it:\n${found.join(' ')}\n`;
  process.stderr.write(`misbehaves on purpose: ${says}\n${hint}`);
}
