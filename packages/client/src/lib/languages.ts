const BY_EXTENSION: Partial<Record<string, string>> = {
  cjs: "javascript",
  cpp: "cpp",
  h: "c",
  htm: "xml",
  html: "xml",
  js: "javascript",
  jsx: "javascript",
  kt: "kotlin",
  md: "markdown",
  mjs: "javascript",
  mts: "typescript",
  py: "python",
  rb: "ruby",
  rs: "rust",
  sh: "bash",
  svg: "xml",
  toml: "ini",
  ts: "typescript",
  tsx: "typescript",
  yml: "yaml",
};

/** The language of a file, as the highlighter names it; often that is the extension itself. */
export function languageOf(path: string): string {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return BY_EXTENSION[extension] ?? extension;
}
