// Words for changing one exchange by hand, where no mutation fits.
export { inEachExchange } from '../../judge/mutation-testing/equivalent-mutants/equivalent-mutant.ts';
export {
  withBody,
  withHeader,
  withJsonResponse,
  withResponseJson,
  withStatus,
} from '../../judge/mutations/exchanges.ts';
export { editFrame, frameData, frameWithData, withEvents } from '../../judge/mutations/streams.ts';
