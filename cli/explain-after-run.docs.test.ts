import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BROKEN_REQUIREMENT, CHAT_FLAGS, prepareChatRuns } from './testing/chat-runs.ts';
import { runAssay } from './testing/run-assay.ts';
import { startSmallService } from './testing/small-service.ts';

const chatRuns = prepareChatRuns();

test('explain prints a run against the target of --base-url, or without one if no target is known', async () => {
  const explain = (...flags: readonly string[]) =>
    runAssay(['explain', 'models.list.each-once', '--no-example', ...flags], { cwd: chatRuns.cwd() });
  expect((await explain('--base-url', chatRuns.referenceUrl())).stdout).toContain(
    `npx assay run --base-url ${chatRuns.referenceUrl()} --only models.list.each-once`,
  );
  expect((await explain()).stdout).toContain('npx assay run --only models.list.each-once');
});

test('explain says why the last run did not exercise a requirement, and where to look', async () => {
  const small = await startSmallService();
  const tools = 'chat.message:tool_calls#type';
  await chatRuns.run(small.url, '--claim', 'chat', '--only', 'chat.logprobs:*', '--only', tools);
  const explain = (id: string, ...flags: readonly string[]) =>
    runAssay(['explain', id, '--no-example', ...flags], { cwd: chatRuns.cwd() });
  const explanation = await explain('chat.logprobs:content[].logprob#type');
  const toolsExplanation = await explain(tools);
  await small.close();
  expect(explanation.stdout).toMatch(
    /in assay-report +inconclusive: no-evidence: scenario chat\.logprobs received createChatCompletion 200 \(\d+×\), none with content\[\]\.logprob of chat\.logprobs/,
  );
  expect(explanation.stdout).toMatch(/look +npx assay show assay-report\/cassette \| grep chat\.logprobs$/m);
  expect(explanation.stdout).toContain(`npx assay run --base-url ${small.url} --only`);
  expect(toolsExplanation.stdout).toMatch(
    /in assay-report +inconclusive: no-evidence: \d+ scenarios received createChatCompletion .*none with tool_calls of chat\.message/,
  );
  expect(toolsExplanation.stdout).toMatch(/look +npx assay show assay-report\/cassette e\d+$/m);
  expect((await explain('file:bytes#type')).stdout).toMatch(/in assay-report +untested: not-claimed/);
});

test('explain names a report that does not exist', async () => {
  const flags = ['--no-example', '--report', 'nowhere'];
  const gone = await runAssay(['explain', 'file:bytes#type', ...flags], { cwd: chatRuns.cwd() });
  expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining('--report nowhere does not exist')]);
});

test('a run whose reports omit JSON writes report.json for explain and list', async () => {
  const { stdout } = await chatRuns.run(chatRuns.referenceUrl(), ...CHAT_FLAGS, '--report', 'terminal,html');
  expect(stdout).toMatch(/written to assay-report\/report\.html,\s+assay-report\/report\.json/);
  expect(stdout).toContain('npx assay list --taken');
  const taken = await runAssay(['list', '--taken'], { cwd: chatRuns.cwd() });
  expect([taken.code, taken.stdout]).toEqual([0, expect.stringMatching(/^chat\.\S+ {2,}\S/m)]);
  const explained = await runAssay(['explain', BROKEN_REQUIREMENT, '--no-example'], { cwd: chatRuns.cwd() });
  expect(explained.stdout).toMatch(/look +npx assay show assay-report\/cassette e\d+/);
});

test('explain says if there is no report of a run', async () => {
  const explained = await runAssay(['explain', 'file:bytes#type', '--no-example'], { cwd: chatRuns.cwd() });
  expect(explained.stdout).toMatch(/last run +assay-report\/ has no report\.json/);
});

test('explain prints no assay show for a report that was moved away from its cassette', async () => {
  await chatRuns.run(chatRuns.referenceUrl(), ...CHAT_FLAGS);
  mkdirSync(join(chatRuns.cwd(), 'moved'));
  renameSync(join(chatRuns.cwd(), 'assay-report/report.json'), join(chatRuns.cwd(), 'moved/report.json'));
  const moved = ['--no-example', '--report', 'moved'];
  const { stdout } = await runAssay(['explain', BROKEN_REQUIREMENT, ...moved], { cwd: chatRuns.cwd() });
  expect(stdout).toMatch(/look +none: the cassette \S+ does not exist/);
  expect(stdout).not.toContain('assay show');
});

test('explain prints the command of the report that judges one requirement again, with its models and its key', async () => {
  const small = await startSmallService();
  const env = { SERVICE_KEY: 'key-of-the-service', ASSAY_API_KEY_ENV: 'SERVICE_KEY' };
  const flags = ['--base-url', small.url, '--claim', 'chat', '--only', 'chat.*'];
  const { stdout } = await runAssay(['run', ...flags], { cwd: chatRuns.cwd(), env });
  const [, again = '', id = ''] =
    /again +(npx assay run .* --only (\S+) .*--report-dir assay-again)$/m.exec(stdout) ?? [];
  const explained = await runAssay(['explain', id, '--no-example'], { cwd: chatRuns.cwd(), env });
  await small.close();
  expect(again).toContain('--model ');
  expect(again).toContain(' --api-key-env SERVICE_KEY ');
  // The command writes to another folder, so that the report of the gate stays.
  expect(/alone +(npx .*)/.exec(explained.stdout)?.[1]).toBe(again);
});

test('explain of a choice names an exchange with the alternative taken, instead of a run that judges nothing', async () => {
  const explain = () => runAssay(['explain', 'chat.model.echo', '--no-example'], { cwd: chatRuns.cwd() });
  expect((await explain()).stdout).not.toMatch(/^ +(?:alone|look) /m);
  await chatRuns.run(chatRuns.referenceUrl(), ...CHAT_FLAGS);
  const { stdout } = await explain();
  const [, exchange = ''] = /in assay-report +takes as requested \((e\d+)\)/.exec(stdout) ?? [];
  const [, args = ''] = /^ +look +npx assay (show assay-report\/cassette e\d+)$/m.exec(stdout) ?? [];
  expect(args.endsWith(` ${exchange}`)).toBe(true);
  const shown = await runAssay(args.split(' '), { cwd: chatRuns.cwd() });
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('"model"')]);
  const taken = await runAssay(['list', '--taken'], { cwd: chatRuns.cwd() });
  expect(taken.stdout).toMatch(new RegExp(`^chat\\.model\\.echo +as requested \\(${exchange}\\)$`, 'm'));
  // Without the traffic, the list of all choices remains.
  rmSync(join(chatRuns.cwd(), 'assay-report/cassette'), { recursive: true });
  expect((await explain()).stdout).toMatch(/^ +look +npx assay list --taken --report assay-report$/m);
});
