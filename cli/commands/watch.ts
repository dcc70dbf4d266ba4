import type { Execute } from '../options/command.ts';
import { resolveDirectServiceUrl } from '../options/service-url.ts';
import { readCommandSettings } from '../options/settings.ts';
import { judgeTraffic, type TrafficFlags } from '../serving/judging-proxy.ts';

/** Differs from the folder of a run, whose report would otherwise be overwritten. */
const WATCH_FOLDER = 'assay-watch';

export const execute: Execute<TrafficFlags> = async ({ flags, self, command }) => {
  const settings = await readCommandSettings(self, { reportDir: WATCH_FOLDER, sendsKey: false });
  return judgeTraffic(settings, { ...flags, baseUrl: await resolveDirectServiceUrl(settings) }, command);
};
