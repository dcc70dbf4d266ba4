import { isScenario, type Scenario } from '../drive/scenario/scenario.ts';
import { importScript } from '../exchange/import-script.ts';
import { isChoice, isRequirement } from '../judge/requirements/define.ts';
import { messageOf } from '../schemas/error-message.ts';
import { operations } from '../schemas/index.ts';
import { isObject } from '../schemas/json.ts';
import { isBaseRequest } from '../suites/generate/requests.ts';
import { forbidExitOf } from './exit-guard.ts';
import { ExtensionError, type ExtensionFile } from './extension-file.ts';
import { publishSuiteFunctions } from './running-suite-functions.ts';

const IMPORT_SECONDS = 30;

export async function importSuites(extensionFile: ExtensionFile): Promise<readonly unknown[]> {
  await publishSuiteFunctions();
  const exported: unknown[] = [];
  for (const path of extensionFile.suites) {
    const values = Object.values(await importSuite(path)).flat();
    // Names are checked first, because a wrong one is easier to understand than its consequences.
    for (const value of values) rejectForeignExport(value, path, extensionFile);
    exported.push(...values);
  }
  // A module may export an object under two names, or re-export one of another module.
  const unique = [...new Set(exported)];
  rejectDuplicates(unique, extensionFile);
  return unique.map((value) => (isScenario(value) ? limitDuration(value, extensionFile) : value));
}

/** Rejects with ExtensionError if the suite throws or takes too long, with MissingPeer if nothing loads TypeScript. */
async function importSuite(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    forbidExitOf(path);
    return await withTimeout(IMPORT_SECONDS, 'its top level', () => importScript(path, path));
  } catch (error) {
    // The message says which package to install.
    if (error instanceof Error && error.name === 'MissingPeer') throw error;
    throw new ExtensionError(`${path} cannot be loaded: ${importProblem(error)}`);
  }
}

/** Node looks for `assay/suite` in the project of the suite, which may lack the package. */
function importProblem(error: unknown): string {
  const message = messageOf(error);
  if (!/Cannot find package 'assay'/.test(message)) return message;
  return "it imports 'assay/suite', which is not installed here. Install it: npm install --save-dev assay";
}

function rejectForeignExport(value: unknown, path: string, { name }: ExtensionFile): void {
  if (!isObject(value)) return;
  const prefix = `${name}.`;
  if (isRequirement(value) || isChoice(value)) {
    rejectId(value.id, prefix, path);
    rejectOperations(value.id, value.selector.operations, path);
  } else if (isScenario(value)) {
    rejectId(value.name, prefix, path);
    rejectOperations(value.name, value.operations, path);
    if (value.family !== name)
      throw new ExtensionError(
        `${path}: the scenario ${value.name} is of the family ${value.family}, not ${name}.`,
      );
  } else if (isBaseRequest(value)) rejectOperations('a base request', [value.operation], path);
  else if ('id' in value && 'reason' in value) rejectId(String(value['id']), prefix, path);
  else if (!('name' in value && 'apply' in value))
    throw new ExtensionError(
      `${path} exports an object that is not a requirement, choice, scenario, base request, exclusion or equivalent mutant: ${Object.keys(value).join(', ') || 'it is empty'}.`,
    );
}

/** Rejects ids that do not begin with the extension's name: they could collide with those of assay or others. */
function rejectId(id: string, prefix: string, path: string): void {
  if (id.startsWith(prefix)) return;
  throw new ExtensionError(
    `${path}: the name ${id} does not begin with ${prefix} (the name of the extension and a dot).`,
  );
}

/** Rejects ids of unknown operations, such as `createEmbedding` without the prefix of its extension. */
function rejectOperations(id: string, operationIds: readonly string[], path: string): void {
  const unknown = operationIds.find((name) => !operations().some((operation) => operation.id === name));
  if (unknown !== undefined)
    throw new ExtensionError(
      `${path}: ${id} names the operation ${unknown}, which is unknown; see assay list.`,
    );
}

/** Rejects duplicate ids, because ids alone identify requirements, choices and scenarios. */
function rejectDuplicates(exports: readonly unknown[], { where }: ExtensionFile): void {
  const seen = new Set<string>();
  for (const value of exports) {
    let id: string;
    if (isScenario(value)) id = `scenario ${value.name}`;
    else if (isRequirement(value) || isChoice(value)) id = value.id;
    else continue;
    if (seen.has(id)) throw new ExtensionError(`${where}: two exports of its suites have the id ${id}.`);
    seen.add(id);
  }
}

/** Gives a scenario the timeout of the extension, so that a scenario that never ends does not hold up the run. */
function limitDuration(scenario: Scenario, { scenarioSeconds }: ExtensionFile): Scenario {
  return { ...scenario, run: (context) => withTimeout(scenarioSeconds, 'it', () => scenario.run(context)) };
}

async function withTimeout<T>(seconds: number, subject: string, action: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${subject} did not end within ${seconds} s`)), seconds * 1000);
  });
  try {
    return await Promise.race([action(), timeout]);
  } finally {
    // A pending timer would keep the process alive.
    clearTimeout(timer);
  }
}
