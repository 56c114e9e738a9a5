"""Protocol buffers and gRPC with the distribution's protoc."""

def _proto_sources(ctx):
    outputs = []
    package = ctx.label.package
    for src in ctx.files.srcs:
        stem = src.path[len(package) + 1:-len(".proto")]
        suffixes = [".pb.h", ".pb.cc"]
        if ctx.attr.grpc:
            suffixes += [".grpc.pb.h", ".grpc.pb.cc"]
        outputs += [ctx.actions.declare_file(stem + suffix) for suffix in suffixes]
    root = ctx.bin_dir.path + "/" + package
    arguments = ["-I" + package, "--cpp_out=" + root]
    if ctx.attr.grpc:
        arguments += [
            "--plugin=protoc-gen-grpc=/usr/bin/grpc_cpp_plugin",
            "--grpc_out=" + root,
        ]
    ctx.actions.run(
        executable = "/usr/bin/protoc",
        arguments = arguments + [src.path for src in ctx.files.srcs],
        inputs = ctx.files.srcs + ctx.files.imports,
        outputs = outputs,
        mnemonic = "Protoc",
    )
    return [DefaultInfo(files = depset(outputs))]

_sources = rule(
    implementation = _proto_sources,
    attrs = {
        "grpc": attr.bool(),
        "imports": attr.label_list(allow_files = [".proto"]),
        "srcs": attr.label_list(allow_files = [".proto"]),
    },
)

def quire_proto_library(name, srcs, grpc = False, imports = [], deps = [], **kwargs):
    """A cc_library of the C++ made from `srcs`; files are named from this package downwards.

    Args:
      name: the library's name.
      srcs: .proto files of this package.
      grpc: whether they declare services.
      imports: .proto files of other packages that they import.
      deps: the libraries made from those.
      **kwargs: passed on to cc_library.
    """
    _sources(name = name + "_sources", srcs = srcs, grpc = grpc, imports = imports)
    native.cc_library(
        name = name,
        srcs = [name + "_sources"],
        hdrs = [name + "_sources"],
        copts = ["-w"],
        includes = ["."],
        deps = deps + ["@system//:protobuf"] + (["@system//:grpc"] if grpc else []),
        **kwargs
    )
