// `npm run screenshots`: runs against the reference with three faults, and writes pictures of the page under docs/screenshots.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BrowserContextOptions, chromium } from 'playwright-core';

/** Where the pictures are kept. */
const OUT = 'docs/screenshots';
/** One fault of a stream, one refusal with consequences, one value out of place. */
const FAULTS = 'chat.stream.finish-reason-ends-choice,model-without-n,files.content.as-sent';
/** Families that make a page of a usual length, with a state graph. */
const FAMILIES = 'models,files,chat,batches';

/** The failure of the stream. */
const FINDING = '[id="r:chat.stream.finish-reason-ends-choice"]';

/** A picture: its file, the window, the part of the page that is at the top, and how far above it. */
interface Picture {
  readonly name: string;
  readonly window: BrowserContextOptions;
  readonly part: string;
}

const PICTURES: readonly Picture[] = [
  { name: 'verdict', window: { viewport: { width: 1280, height: 1000 } }, part: 'header' },
  { name: 'finding', window: { viewport: { width: 1280, height: 900 } }, part: FINDING },
  {
    name: 'dark',
    window: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
    part: '#latency',
  },
  { name: 'phone', window: { viewport: { width: 390, height: 900 } }, part: '#coverage' },
];

const folder = mkdtempSync(join(tmpdir(), 'assay-screenshots-'));
try {
  // From the sources, so that nothing has to be built before.
  const assay = [process.execPath, '--import', 'tsx', 'cli/main.ts'] as const;
  const run = ['run', '--claim', FAMILIES, '--allow', 'batches', '--report', 'html', '--report-dir', folder];
  const serve = ['serve', '--fault', FAULTS, '--', ...assay, ...run];
  // Exits with 1, because the target does not conform.
  spawnSync(assay[0], [...assay.slice(1), ...serve], { stdio: 'inherit' });
  mkdirSync(OUT, { recursive: true });
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  // A window for each picture, since its size and its colours belong to the window.
  for (const { name, window, part } of PICTURES) {
    const page = await browser.newPage(window);
    await page.goto(pathToFileURL(join(folder, 'report.html')).href);
    // The folded sections that a picture shows.
    await page.evaluate(
      "for (const one of document.querySelectorAll('#latency details, #states details.fold')) one.open = true",
    );
    await page.locator(part).evaluate((element) => {
      element.setAttribute('open', '');
      // The filters stay above the findings.
      scrollTo(0, element.getBoundingClientRect().top - (element.tagName === 'DETAILS' ? 80 : 24));
    });
    await page.screenshot({ path: join(OUT, `${name}.png`) });
    await page.close();
  }
  await browser.close();
} finally {
  rmSync(folder, { recursive: true });
}
