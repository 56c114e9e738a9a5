"""Libraries of the distribution as Bazel targets: @system//:NAME, linked as pkg-config says."""

# Target -> the modules that pkg-config knows, and the Debian packages whose versions stamp the
# repository (system headers are invisible to the action cache, a new version must rebuild).
_LIBRARIES = {
    "absl": struct(
        modules = [
            "absl_base",
            "absl_flags",
            "absl_flags_parse",
            "absl_flags_usage",
            "absl_flat_hash_map",
            "absl_hash",
            "absl_span",
            "absl_status",
            "absl_statusor",
            "absl_str_format",
            "absl_strings",
            "absl_synchronization",
            "absl_time",
        ],
        package = "libabsl-dev",
    ),
    "edit": struct(modules = ["libedit"], package = "libedit-dev"),
    "gloo": struct(modules = [], package = "libgloo-dev"),
    "grpc": struct(modules = ["grpc++"], package = "libgrpc++-dev"),
    "gtest": struct(modules = ["gmock", "gtest"], package = "libgtest-dev"),
    "gtest_main": struct(modules = ["gmock_main", "gmock", "gtest"], package = "libgmock-dev"),
    "httplib": struct(modules = ["cpp-httplib"], package = "libcpp-httplib-dev"),
    "json": struct(modules = ["nlohmann_json"], package = "nlohmann-json3-dev"),
    "pcre2": struct(modules = ["libpcre2-8"], package = "libpcre2-dev"),
    "prometheus": struct(modules = ["prometheus-cpp-core"], package = "prometheus-cpp-dev"),
    "protobuf": struct(modules = ["protobuf"], package = "libprotobuf-dev"),
    "utf8proc": struct(modules = ["libutf8proc"], package = "libutf8proc-dev"),
}

# Libraries that ship no pkg-config module of their own.
_EXTRA_LINKOPTS = {
    "gloo": ["-lgloo"],
    "grpc": ["-lgrpc++_reflection", "-lgrpc++_error_details"],
}

def _run(ctx, command):
    result = ctx.execute(command)
    if result.return_code != 0:
        fail("%s: %s%s" % (" ".join(command), result.stdout, result.stderr))
    return result.stdout.strip()

def _pkg_config(ctx, flag, modules):
    if not modules:
        return []
    words = _run(ctx, ["pkg-config", flag] + modules).split(" ")
    return [w for w in words if w]

def _library(ctx, name, library):
    # Abseil's own -D and the include paths below /usr/include are for Windows and for old code.
    defines = [
        w[2:]
        for w in _pkg_config(ctx, "--cflags-only-other", library.modules)
        if w.startswith("-D") and w != "-DNOMINMAX"
    ]
    linkopts = _pkg_config(ctx, "--libs", library.modules) + _EXTRA_LINKOPTS.get(name, [])
    version = _run(ctx, ["dpkg-query", "--show", "--showformat=${Version}", library.package])
    return """
# {package} {version}
cc_library(
    name = "{name}",
    defines = {defines},
    linkopts = {linkopts},
    textual_hdrs = ["{name}.version"],
)
""".format(
        defines = defines,
        linkopts = linkopts,
        name = name,
        package = library.package,
        version = version,
    ), version

def _system_libraries(ctx):
    build = ["package(default_visibility = [\"//visibility:public\"])"]
    for name, library in _LIBRARIES.items():
        text, version = _library(ctx, name, library)
        build.append(text)

        # An input of every action that includes the library's headers.
        ctx.file(name + ".version", version + "\n")
    ctx.file("BUILD", "\n".join(build))

system_libraries = repository_rule(
    implementation = _system_libraries,
    doc = "cc_library targets for the system libraries in _LIBRARIES.",
    local = True,
)
