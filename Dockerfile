# browserd on Debian's browsers. Nothing comes from a third-party repository: Chromium, its headless shell and the fonts
# are Debian's, Node is the npm package that package.json pins.
#
#   docker build -t browserd .
#   docker run --rm -p 3000:3000 -e TOKEN=change-me browserd

# Builder and Node that runs the service have one version: package.json pins it, test/unit/dockerfile.test.ts compares.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# The whole lockfile first, so that its checksums cover Node too; then what only developers need goes. The embedded
# browser goes as well: here Debian's is installed.
RUN npm ci \
  && cp "$(readlink -f node_modules/node/bin/node)" /usr/local/bin/pinned-node
# The documentation is compiled and the server bundled here; what does it goes with the rest that only developers need.
COPY build.ts ./
COPY docs-content ./docs-content
COPY public ./public
COPY src ./src
RUN /usr/local/bin/pinned-node build.ts \
  && npm prune --omit=dev \
  && rm -rf node_modules/@sparticuz node_modules/sparticuz-chromium-al2

FROM debian:bookworm-slim

# tini is the init: it passes signals on and reaps what browsers leave. Xvfb is the display of browsers with a window.
# Fonts: Noto for Latin, Arabic, Devanagari, Thai and some hundred scripts more, for Chinese, Japanese and Korean, and for
# emoji; Liberation, Carlito and Caladea measure as Arial, Times, Courier, Calibri and Cambria do.
RUN apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    ca-certificates \
    chromium \
    chromium-headless-shell \
    firefox-esr \
    fonts-crosextra-caladea \
    fonts-crosextra-carlito \
    fonts-liberation \
    fonts-noto-cjk \
    fonts-noto-color-emoji \
    fonts-noto-core \
    tini \
    tzdata \
    xvfb \
  && rm -rf /var/lib/apt/lists/*

# Fixed ids, so that the owner of a mounted directory can be named: chown 10001:10001.
RUN groupadd --gid 10001 browserd \
  && useradd --uid 10001 --gid browserd --create-home --shell /usr/sbin/nologin browserd \
  && install -d -o browserd -g browserd \
    /var/cache/browserd /var/lib/browserd /var/lib/browserd/data /var/lib/browserd/downloads /var/lib/browserd/recordings

COPY --from=build /usr/local/bin/pinned-node /usr/local/bin/node
WORKDIR /app
COPY --from=build /build/node_modules ./node_modules
COPY package.json LICENSE ./
COPY --from=build /build/dist ./dist

# What should outlive a container is below /var/lib/browserd: mount a volume there to keep it. Scratch files stay in /tmp.
ENV NODE_ENV=production \
  NODE_COMPILE_CACHE=/var/cache/browserd \
  HOST=0.0.0.0 \
  PORT=3000 \
  DATA_DIR=/var/lib/browserd/data \
  DOWNLOAD_DIR=/var/lib/browserd/downloads \
  RECORDINGS_DIR=/var/lib/browserd/recordings \
  METRICS_JSON_PATH=/var/lib/browserd/metrics.json

USER browserd
# Compiles everything once, so that each start of a container takes half the time and 30 MB less. The cache belongs to the
# user that made it.
RUN ["node", "dist/server/main.js", "--help"]
EXPOSE 3000

# /active wants the token like every route; it is read here and never printed.
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s --retries=3 \
  CMD ["node", "-e", "const { PORT = 3000, TOKEN = '', TOKEN_FILE } = process.env; const [token] = (TOKEN || (TOKEN_FILE ? require('fs').readFileSync(TOKEN_FILE, 'utf8') : '')).split(/[,\\n]/); fetch(`http://127.0.0.1:${PORT}/active`, token ? { headers: { authorization: `Bearer ${token.trim()}` } } : {}).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]

ENTRYPOINT ["tini", "--"]
CMD ["node", "dist/server/main.js"]
