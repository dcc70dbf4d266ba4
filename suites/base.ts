import { requestsOfRows } from './generate/scenario-rows.ts';
import { materials } from './makers.ts';

/** The base requests of all `scenarios.json` files. */
export const requestsInRows = requestsOfRows(materials);
