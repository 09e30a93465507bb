/** The part of postject that is used here; the package has no types. */
declare module 'postject' {
  /** Puts a resource into an executable. @throws Error when it has the resource already, or is no executable */
  export function inject(
    executable: string,
    resourceName: string,
    resource: Uint8Array,
    options: { sentinelFuse: string },
  ): Promise<void>;
}
