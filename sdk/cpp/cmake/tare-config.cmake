# find_package(tare), then target_link_libraries(my_bench PRIVATE tare::tare).
include(CMakeFindDependencyMacro)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_dependency(Threads)
include("${CMAKE_CURRENT_LIST_DIR}/tare-targets.cmake")
