import { basename } from 'node:path';
import { isLoopback } from '../../exchange/http/loopback.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import { TOOL } from '../../exchange/tool.ts';
import { isExpired } from '../../judge/baseline/baseline-entry.ts';
import { isClientRequirement } from '../../judge/requirements/selection.ts';
import {
  assayDependency,
  fetchedInstallation,
  type Installation,
  projectInstallation,
} from '../../pipeline/init/installation.ts';
import { lookAtTarget, type TargetFindings } from '../../pipeline/init/look-at-target.ts';
import {
  type WorkflowKind,
  type WrittenProject,
  writeProjectFiles,
} from '../../pipeline/init/project-files.ts';
import { findMissingDependency, type MissingDependency } from '../../pipeline/init/repository.ts';
import type { FirstBaseline } from '../../pipeline/init/workflows.ts';
import { dayAfter, readKnownFailures } from '../../pipeline/report/known-failures.ts';
import type { RunEvent } from '../../pipeline/run.ts';
import { messageOf } from '../../schemas/error-message.ts';
import { compact, plural, shortList } from '../../schemas/message-text.ts';
import { type FirstRun, judgeFirstRun } from '../init/first-run.ts';
import type { Execute } from '../options/command.ts';
import { requireNode } from '../options/require-node.ts';
import { resolveServiceUrl } from '../options/service-url.ts';
import { readCommandSettings } from '../options/settings.ts';
import { runNotice } from '../output/run-notices.ts';
import { columnsOf } from '../output/terminal.ts';

interface Flags {
  readonly workflow: WorkflowKind;
  readonly start?: string;
  readonly package?: string;
  readonly force?: true;
  readonly firstRun: boolean;
}

const MAX_NAMED = 6;
const THIS_VERSION = `assay@${TOOL.version}`;

const IGNORED_WORDS = {
  added: 'added to .gitignore',
  present: '.gitignore names them',
  nowhere: 'all belong in .gitignore',
} as const;

const BASELINE_ADVICE = [
  'a baseline accepts what fails today, with a reason; from then on only new failures fail the gate:',
  '  npx assay check assay-report/cassette --baseline-write assay-baseline.json --baseline-reason "known, not yet reviewed"',
  '  then add "baseline": "assay-baseline.json" to assay.config.json',
];

const MISSING_START =
  'the workflow does not start the service: repeat this command with --start "COMMAND" --force, or add a step to it';

function closingLines({ keptOptions, gitignore }: WrittenProject, run: FirstRun | null): readonly string[] {
  const { baseline } = keptOptions;
  const names = Object.entries(keptOptions).map(([name, value]) =>
    typeof value === 'string' ? `${name} (${value})` : name,
  );
  return compact(
    names.length > 0 && `kept from the earlier assay.config.json: ${names.join(', ')}`,
    ...(run?.lines ?? []),
    ...(run?.next ?? ['next: npx assay run']),
    ...(baseline === undefined && run === null ? BASELINE_ADVICE : []),
    `reports are in assay-report/, those of other commands in assay-again/, assay-client/ and assay-watch/: ${IGNORED_WORDS[gitignore ?? 'nowhere']}`,
  );
}

function notJudgedWords(path: string): string {
  try {
    const known = readKnownFailures(path).baseline?.known ?? [];
    const expired = known.filter((one) => !isClientRequirement(one.id) && isExpired(one, dayAfter(0))).length;
    const renewal = `${plural(expired, 'entry has', 'entries have')} expired, and the next run says how to renew ${expired === 1 ? 'it' : 'them'}`;
    return `not judged now, because ${path} lists what is accepted${expired === 0 ? '' : `; ${renewal}`}`;
  } catch (error) {
    return `not judged now, because no run can use the baseline: ${messageOf(error)}`;
  }
}

function ignoredImagesWords(id: string): string {
  return `${id} accepts images, and nothing shows that it reads them: requirements that need images do not use it; name it in assay.config.json if it does: "model": {"vision": "${id}", "chat": "${id}"}`;
}

function unaffordableWords(unaffordable: TargetFindings['event']['unaffordable']): string {
  const costs = [...new Set(unaffordable.flatMap(({ allow }) => allow))];
  const names = shortList(
    unaffordable.map(({ operation }) => operation),
    MAX_NAMED,
  );
  return `to have ${names} judged, add "allow": ${JSON.stringify(costs)} to assay.config.json, and repeat this command with --force`;
}

function fetchedPackageWords(spec: string): string {
  return `the workflow fetches ${spec} from the npm registry: if yours does not have it, add assay to the dependencies of the project, or pass --package FILE.tgz; then repeat this command with --force`;
}

function missingWords({ path, why }: MissingDependency, { install }: Installation): string {
  const isOutside = why === 'outside';
  const where = isOutside ? 'outside the repository' : 'which git does not track';
  const advice = isOutside
    ? `copy it into the repository, commit it, and install it from there with npm install --save-dev ./${basename(path)}`
    : `commit it: git add --force ${shellQuote(path)}`;
  return `package.json takes assay from ${path}, ${where}: CI will not find it, and ${install} fails there; ${advice}; or name a version or a URL in package.json`;
}

function notify(event: RunEvent): void {
  process.stderr.write(`${runNotice(event, columnsOf(process.stderr)).join('\n')}\n`);
}

function chooseInstallation(workflow: WorkflowKind, spec: string | undefined) {
  const installed = spec === undefined ? projectInstallation(process.cwd()) : null;
  const dependency = workflow === 'none' || installed === null ? null : assayDependency(process.cwd());
  return {
    installation: installed ?? fetchedInstallation(spec ?? THIS_VERSION),
    isFromRegistry: workflow !== 'none' && installed === null && spec === undefined,
    missing: dependency === null ? null : findMissingDependency(process.cwd(), dependency),
  };
}

export const execute: Execute<Flags> = async ({ flags, self }) => {
  const { workflow, start, package: spec, force, firstRun } = flags;
  requireNode('init');
  const settings = await readCommandSettings(self, { claim: 'auto' });
  const { installation, isFromRegistry, missing } = chooseInstallation(workflow, spec);
  const baseUrl = await resolveServiceUrl(settings);
  const findings = await lookAtTarget(settings, {
    onWait: (why, most) => notify({ kind: 'awaits-target', why, most }),
    onAnswers: (answers) => notify({ kind: 'looking', answers }),
  });
  const isLocal = isLoopback(new URL(baseUrl).hostname);
  const needsStart = workflow !== 'none' && start === undefined && isLocal;
  const { apiKey, keyVariable, dialect } = settings;
  const target = { baseUrl, keyVariable: apiKey === null ? null : keyVariable, dialect, findings };
  const facts = { ...target, start: start ?? null, workflow, installation };
  const write = (accepted: FirstBaseline | null, existing: 'keep' | 'replace') =>
    writeProjectFiles(process.cwd(), { ...facts, accepted }, existing);
  const project = write(null, force === true ? 'replace' : 'keep');
  const { unaffordable } = findings.event;
  const print = (lines: readonly string[]) => process.stdout.write(`${lines.join('\n')}\n`);
  print([
    ...runNotice(findings.event, columnsOf(process.stdout)),
    `written: ${project.files.join(', ')}`,
    ...compact(
      isFromRegistry && fetchedPackageWords(THIS_VERSION),
      missing !== null && missingWords(missing, installation),
      needsStart && MISSING_START,
      unaffordable.length > 0 && unaffordableWords(unaffordable),
      findings.modelIgnoringImages !== null && ignoredImagesWords(findings.modelIgnoringImages),
    ),
  ]);
  const { baseline } = project.keptOptions;
  // A run sends thousands of requests: on a remote service they may cost money.
  if (firstRun && isLocal && typeof baseline === 'string') print([notJudgedWords(baseline)]);
  const run = firstRun && isLocal && baseline === undefined ? await judgeFirstRun(self) : null;
  if (run !== null && run.endedEarly !== null) {
    print([
      `no baseline was written, because ${run.endedEarly}; npx assay init --force starts again`,
      ...(run.next ?? []),
    ]);
    return run.exitCode;
  }
  if (run?.accepted) write(run.accepted, 'replace');
  print(closingLines(project, run));
  return run?.exitCode ?? 0;
};
