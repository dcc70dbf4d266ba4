import { requestsOfRows } from './generate/scenario-rows.ts';
import { materials } from './makers.ts';

export const requestsInRows = requestsOfRows(materials);
