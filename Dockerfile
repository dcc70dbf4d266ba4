# The command assay in an image of its own. Without arguments it serves the reference service inside the container.
#   docker build -t assay .
#   docker run --rm --network host -v "$PWD:/work" assay run --base-url http://127.0.0.1:8000/v1
#   docker run --network host assay watch --base-url http://127.0.0.1:9000/v1 --port 8000 --metrics 9464 --log json
# The packages are JavaScript alone: they are installed once, on the platform that builds, for the images of all platforms.
FROM --platform=$BUILDPLATFORM node:22-slim@sha256:83f487e0a63425e5b4d146fb5e5be574bcbe1b7b843d3ebafdd95eaf7767a7e5 AS build
WORKDIR /src
COPY . .
RUN npm ci && npm pack --pack-destination /
# Metrics need the client library, which is an optional peer.
RUN npm install --global --prefix /out --no-audit --no-fund /assay-*.tgz prom-client@15
# Reports are written into /work, where no volume is mounted as well.
RUN mkdir /work

FROM node:22-slim@sha256:83f487e0a63425e5b4d146fb5e5be574bcbe1b7b843d3ebafdd95eaf7767a7e5
COPY --from=build /out /usr/local
COPY --from=build --chown=node:node /work /work
USER node
WORKDIR /work
# Any answer is a sign of life: a replayed cassette need not contain this request.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8000/v1/models').then(() => process.exit(0), () => process.exit(1))"]
ENTRYPOINT ["assay"]
CMD ["serve", "--port", "8000"]
