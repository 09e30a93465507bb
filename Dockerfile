# browserd on Debian's browsers. Nothing comes from a third-party repository: Chromium, its headless shell and the fonts
# are Debian's, Node is the npm package that package.json pins.
#
#   docker build -t browserd .                       Chromium and its headless shell
#   docker build -t browserd:shell --target=shell .  the headless shell alone
#   docker build -t browserd:all --target=all .      Firefox too
#   docker run --rm -p 3000:3000 -e TOKEN=change-me browserd

# Builder and Node that runs the service have one version: package.json pins it, test/unit/dockerfile.test.ts compares.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# The whole lockfile, so that its checksums cover Node too.
RUN npm ci \
  && cp "$(readlink -f node_modules/node/bin/node)" /usr/local/bin/pinned-node
# The documentation is compiled and the server bundled here. Of the packages only what the bundle still reads is kept.
# The embedded browser is not: here Debian's is installed.
COPY build.ts LICENSE ./
COPY docs-content ./docs-content
COPY public ./public
COPY src ./src
RUN /usr/local/bin/pinned-node build.ts --packages=/build/run/node_modules

# What all images have. Each `system-…` has the packages of Debian alone, so that a change of the service installs none.
FROM debian:bookworm-slim AS system-shell

# tini is the init: it passes signals on and reaps what browsers leave.
# Fonts: Noto for Latin, Arabic, Devanagari, Thai and some hundred scripts more, for Chinese, Japanese and Korean, and for
# emoji; Liberation, Carlito and Caladea measure as Arial, Times, Courier, Calibri and Cambria do.
RUN apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    ca-certificates \
    chromium-headless-shell \
    fontconfig \
    fonts-crosextra-caladea \
    fonts-crosextra-carlito \
    fonts-liberation \
    fonts-noto-cjk \
    fonts-noto-color-emoji \
    fonts-noto-core \
    tini \
    tzdata \
  && rm -rf /var/lib/apt/lists/*

# The names of fonts that documents ask for; and the list of all fonts, which each browser would make when it starts.
COPY public/deploy/fonts.conf /etc/fonts/local.conf
RUN fc-cache --force --system-only

# Fixed ids, so that the owner of a mounted directory can be named: chown 10001:10001. Group 0 may write where the user
# may: OpenShift runs images as a user of its own choice in that group.
RUN groupadd --gid 10001 browserd \
  && useradd --uid 10001 --gid browserd --create-home --shell /usr/sbin/nologin browserd \
  && install -d -o browserd \
    /var/cache/browserd /var/lib/browserd /var/lib/browserd/data /var/lib/browserd/downloads /var/lib/browserd/recordings \
  && chgrp -R 0 /home/browserd /var/cache/browserd /var/lib/browserd \
  && chmod -R g=u /home/browserd /var/cache/browserd /var/lib/browserd

# What should outlive a container is below /var/lib/browserd: mount a volume there to keep it. Scratch files stay in /tmp.
ENV LANG=C.UTF-8 \
  HOME=/home/browserd \
  NODE_ENV=production \
  NODE_COMPILE_CACHE=/var/cache/browserd \
  HOST=0.0.0.0 \
  PORT=3000 \
  DATA_DIR=/var/lib/browserd/data \
  DOWNLOAD_DIR=/var/lib/browserd/downloads \
  RECORDINGS_DIR=/var/lib/browserd/recordings \
  METRICS_JSON_PATH=/var/lib/browserd/metrics.json

WORKDIR /app
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s --retries=3 CMD ["node", "dist/server/main.js", "--health"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "dist/server/main.js"]

# Xvfb is the display of browsers with a window.
FROM system-shell AS system-chromium
RUN apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    chromium \
    xvfb \
  && rm -rf /var/lib/apt/lists/*

FROM system-chromium AS system-all
RUN apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    firefox-esr \
  && rm -rf /var/lib/apt/lists/*

FROM system-shell AS shell
COPY --from=build /usr/local/bin/pinned-node /usr/local/bin/node
COPY --from=build /build/run/node_modules ./node_modules
COPY package.json LICENSE ./
COPY --from=build /build/dist ./dist
# A number, since Kubernetes must see that it is not root.
USER 10001
# Compiles everything once, so that each start of a container takes half the time and 30 MB less. The cache belongs to the
# user that made it; others start without.
RUN ["node", "dist/server/main.js", "--help"]
ARG VERSION=0.1.0 REVISION=unknown CREATED=unknown
LABEL org.opencontainers.image.title="browserd" \
  org.opencontainers.image.description="A self-hosted headless-browser service, with Chromium's headless shell" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.base.name="docker.io/library/debian:bookworm-slim" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.created="$CREATED"

FROM system-all AS all
COPY --from=shell /usr/local/bin/node /usr/local/bin/node
COPY --from=shell /app /app
COPY --from=shell --chown=10001:0 /var/cache/browserd /var/cache/browserd
USER 10001
ARG VERSION=0.1.0 REVISION=unknown CREATED=unknown
LABEL org.opencontainers.image.title="browserd" \
  org.opencontainers.image.description="A self-hosted headless-browser service, with Chromium, its headless shell and Firefox" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.base.name="docker.io/library/debian:bookworm-slim" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.created="$CREATED"

# The last one is what `docker build` makes without --target.
FROM system-chromium AS chromium
COPY --from=shell /usr/local/bin/node /usr/local/bin/node
COPY --from=shell /app /app
COPY --from=shell --chown=10001:0 /var/cache/browserd /var/cache/browserd
USER 10001
ARG VERSION=0.1.0 REVISION=unknown CREATED=unknown
LABEL org.opencontainers.image.title="browserd" \
  org.opencontainers.image.description="A self-hosted headless-browser service, with Chromium and its headless shell" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.base.name="docker.io/library/debian:bookworm-slim" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.created="$CREATED"
