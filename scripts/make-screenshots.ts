// `npm run screenshots` runs against the reference with faults, and writes pictures of the report to docs/screenshots.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BrowserContextOptions, chromium } from 'playwright-core';
import { REPORT_FOLDER } from '../drive/configuration/settings.ts';

const OUT = 'docs/screenshots';
/** A fault in a stream, a refusal with consequences, a wrong value. */
const FAULTS = 'chat.stream.finish-reason-ends-choice,model-without-n,files.content.as-sent';
/** Families that fill a page of typical length, with a state graph. */
const FAMILIES = 'models,files,chat,batches';
const FINDING = '[id="r:chat.stream.finish-reason-ends-choice"]';

/** The name of each file, the window, and a selector of the part of the page at the top of the picture. */
const PICTURES: readonly { name: string; window: BrowserContextOptions; part: string }[] = [
  { name: 'verdict', window: { viewport: { width: 1280, height: 1000 } }, part: 'header' },
  { name: 'finding', window: { viewport: { width: 1280, height: 900 } }, part: FINDING },
  { name: 'dark', window: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }, part: '#latency' },
  { name: 'phone', window: { viewport: { width: 390, height: 900 } }, part: '#coverage' },
];

const folder = mkdtempSync(join(tmpdir(), 'assay-screenshots-'));
try {
  // The command runs from the sources, so that no build is needed.
  const assay = [process.execPath, '--import', import.meta.resolve('tsx'), resolve('cli/main.ts')] as const;
  const run = ['run', '--claim', FAMILIES, '--allow', 'batches', '--report', 'html'];
  const serve = ['serve', '--fault', FAULTS, '--', ...assay, ...run];
  // The command exits with 1, because the target does not conform.
  spawnSync(assay[0], [...assay.slice(1), ...serve], { stdio: 'inherit', cwd: folder });
  mkdirSync(OUT, { recursive: true });
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  // Size and colour scheme belong to the window, so each picture has its own.
  for (const { name, window, part } of PICTURES) {
    const page = await browser.newPage(window);
    await page.goto(pathToFileURL(join(folder, REPORT_FOLDER, 'report.html')).href);
    await page.evaluate(
      "for (const one of document.querySelectorAll('#latency details, #states details.fold')) one.open = true",
    );
    await page.locator(part).evaluate((element) => {
      element.setAttribute('open', '');
      // The sticky filters cover the top of the window.
      scrollTo(0, element.getBoundingClientRect().top - 80);
    });
    await page.screenshot({ path: join(OUT, `${name}.png`) });
    await page.close();
  }
  await browser.close();
} finally {
  rmSync(folder, { recursive: true });
}
