import { requestsOfRows } from './generate/scenario-rows.ts';
import { MAKERS } from './makers.ts';

export const requests = requestsOfRows(MAKERS);
