"""The header as others find it: installed by CMake, by find_package and by pkg-config."""
import os
import shutil
import subprocess
import tempfile

import build


def run(*command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, timeout=300)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_cmake_and_pkg_config(_binaries):
    if not shutil.which("cmake"):
        return
    with tempfile.TemporaryDirectory() as folder:
        built, prefix, example = (os.path.join(folder, name) for name in ("built", "prefix", "example"))
        run("cmake", "-S", build.SDK, "-B", built)
        run("cmake", "--build", built)
        run("cmake", "--install", built, "--prefix", prefix)
        run("cmake", "-S", os.path.join(build.SDK, "example"), "-B", example, f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", example)
        assert "6 benchmark cases" in run(os.path.join(example, "sorting"), TARE_WIRE="", TARE_WORKER="")
        # Sources without a main function of their own link one.
        own = os.path.join(folder, "own")
        os.mkdir(own)
        with open(os.path.join(own, "bench.cc"), "w") as file:
            file.write("#include <tare/benchmark.h>\nTARE_BENCHMARK(nothing) {}\n")
        with open(os.path.join(own, "CMakeLists.txt"), "w") as file:
            file.write("cmake_minimum_required(VERSION 3.14)\nproject(own CXX)\nfind_package(tare REQUIRED)\nadd_executable(own bench.cc)\ntarget_link_libraries(own PRIVATE tare::main)\n")
        run("cmake", "-S", own, "-B", own, f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", own)
        assert "1 benchmark case " in run(os.path.join(own, "own"), TARE_WIRE="", TARE_WORKER="")
        if shutil.which("pkg-config"):
            pc = next(path for path, _, files in os.walk(prefix) if "tare-main.pc" in files)
            flags = run("pkg-config", "--cflags", "--libs", "tare-main", PKG_CONFIG_PATH=pc).split()
            run(build.compilers()[0], "-std=c++17", os.path.join(own, "bench.cc"), *flags, "-o", os.path.join(own, "linked"))
            assert "1 benchmark case " in run(os.path.join(own, "linked"), TARE_WIRE="", TARE_WORKER="")
            found = [path for path, _, files in os.walk(prefix) if "tare.pc" in files]
            flags = run("pkg-config", "--cflags", "tare", PKG_CONFIG_PATH=found[0]).split()
            include = next(flag[2:] for flag in flags if flag.startswith("-I"))
            assert os.path.exists(os.path.join(include, "tare", "benchmark.h")), include


def test_every_header_stands_alone(_binaries):
    compiler = build.compilers()[0]
    headers = os.path.join(build.SDK, "include", "tare")
    names = sorted(os.path.join("detail", name) for name in os.listdir(os.path.join(headers, "detail"))) + ["clock.h"]
    sources = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            # Twice: what is included a second time adds nothing.
            source = os.path.join(folder, name.replace(os.sep, "-") + ".cc")
            sources.append(source)
            with open(source, "w") as file:
                file.write(f"#include <tare/{name}>\n" * 2)
        run(compiler, "-std=c++17", "-fsyntax-only", *build.WARNINGS, "-I", os.path.dirname(headers), *sources)
