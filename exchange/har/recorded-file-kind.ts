/** How messages name a file of recorded traffic. */
export type RecordedFileKind =
  | 'HAR file'
  | 'VCR cassette'
  | 'recording of nock'
  | 'flow file'
  | 'list of requests';
