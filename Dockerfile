# browserd on Debian's browsers. Nothing comes from a third-party repository: Chromium, its headless shell and the fonts
# are Debian's, Node is the npm package that package.json pins.
#
#   docker build -t browserd .                       Chromium and its headless shell
#   docker build -t browserd:shell --target=shell .  the headless shell alone
#   docker build -t browserd:all --target=all .      Firefox too
#   docker run --rm -p 3000:3000 -e TOKEN=change-me browserd

# The Node of the builder is the one that package.json pins; test/unit/dockerfile.test.ts compares.
FROM node:24.21.0-bookworm-slim AS build
# strip, which takes 35 MB of symbols from the executable.
RUN apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends binutils \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# The whole lockfile, so that its checksums cover Node too.
RUN npm ci
# The documentation is compiled and all that the service needs put into one file: `npm run build:binary`. The embedded
# browser is not in it: here Debian's is installed.
COPY build.ts LICENSE ./
COPY docs-content ./docs-content
COPY public ./public
COPY src ./src
RUN node_modules/.bin/node build.ts --binary

# What all images have. Each `system-…` has the packages of Debian alone, so that a change of the service installs none.
FROM debian:bookworm-slim AS system-shell

# tini is the init: it passes signals on and reaps what browsers leave.
# Fonts: Noto for Latin, Arabic, Devanagari, Thai and some hundred scripts more, for Chinese, Japanese and Korean, and for
# emoji; Liberation, Carlito and Caladea measure as Arial, Times, Courier, Calibri and Cambria do.
# Mesa's drivers and the compiler of theirs, 160 MB, serve graphics cards. Without a card Chromium draws by its own
# SwiftShader, WebGL too; and nobody debugs Vulkan here.
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
  && rm -rf /var/lib/apt/lists/* /usr/lib/*/dri /usr/lib/*/libLLVM-* /usr/lib/*/libz3.so* \
    /usr/lib/chromium/libVkLayer_khronos_validation.so

# The names of fonts that documents ask for; and the list of all fonts, which each browser would make when it starts.
COPY public/deploy/fonts.conf /etc/fonts/local.conf
RUN fc-cache --force --system-only

# Fixed ids, so that the owner of a mounted directory can be named: chown 10001:10001. Group 0 may write where the user
# may: OpenShift runs images as a user of its own choice in that group.
RUN groupadd --gid 10001 browserd \
  && useradd --uid 10001 --gid browserd --create-home --shell /usr/sbin/nologin browserd \
  && install -d -o browserd \
    /var/lib/browserd /var/lib/browserd/data /var/lib/browserd/downloads /var/lib/browserd/recordings \
  && chgrp -R 0 /home/browserd /var/lib/browserd \
  && chmod -R g=u /home/browserd /var/lib/browserd

# What should outlive a container is below /var/lib/browserd: mount a volume there to keep it. Scratch files stay in /tmp.
ENV LANG=C.UTF-8 \
  HOME=/home/browserd \
  HOST=0.0.0.0 \
  PORT=3000 \
  DATA_DIR=/var/lib/browserd/data \
  DOWNLOAD_DIR=/var/lib/browserd/downloads \
  RECORDINGS_DIR=/var/lib/browserd/recordings \
  METRICS_JSON_PATH=/var/lib/browserd/metrics.json

WORKDIR /home/browserd
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s --retries=3 CMD ["browserd", "--health"]
ENTRYPOINT ["tini", "--"]
CMD ["browserd"]

# Xvfb is the display of browsers with a window.
FROM system-shell AS system-chromium
RUN apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    chromium \
    xvfb \
  && rm -rf /var/lib/apt/lists/* /usr/lib/*/dri /usr/lib/*/libLLVM-* /usr/lib/*/libz3.so* \
    /usr/lib/chromium/libVkLayer_khronos_validation.so

FROM system-chromium AS system-all
RUN apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    firefox-esr \
  && rm -rf /var/lib/apt/lists/* /usr/lib/*/dri /usr/lib/*/libLLVM-* /usr/lib/*/libz3.so* \
    /usr/lib/chromium/libVkLayer_khronos_validation.so

FROM system-shell AS shell
COPY --from=build /build/dist/binary/browserd /usr/local/bin/browserd
# A number, since Kubernetes must see that it is not root.
USER 10001
ARG VERSION=0.1.0 REVISION=unknown CREATED=unknown
LABEL org.opencontainers.image.title="browserd" \
  org.opencontainers.image.description="A self-hosted headless-browser service, with Chromium's headless shell" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.base.name="docker.io/library/debian:bookworm-slim" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.created="$CREATED"

FROM system-all AS all
COPY --from=build /build/dist/binary/browserd /usr/local/bin/browserd
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
COPY --from=build /build/dist/binary/browserd /usr/local/bin/browserd
USER 10001
ARG VERSION=0.1.0 REVISION=unknown CREATED=unknown
LABEL org.opencontainers.image.title="browserd" \
  org.opencontainers.image.description="A self-hosted headless-browser service, with Chromium and its headless shell" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.base.name="docker.io/library/debian:bookworm-slim" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.created="$CREATED"
